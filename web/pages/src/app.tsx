import { HISTORY_PLUGIN } from "@graphiql/plugin-history";
import { GraphiQL } from "graphiql";
import { useMemo, useState } from "react";
import { Answer } from "./answer/answer.tsx";
import { Answers } from "./live/answers.ts";
import { askWith } from "./base/ask.ts";
import { pageURL, type Config } from "./base/config.ts";
import { shared } from "./base/stored.ts";
import { Banner } from "./connection/banner.tsx";
import type { Connection } from "./connection/connection.ts";
import { explorerPlugin } from "./explorer/plugin.tsx";
import type { Spent } from "./base/trace.ts";
import { createFetcher } from "./fetcher.ts";
import { LeaveEditorsWithTab } from "./keyboard.tsx";
import { Observable } from "./base/observable.ts";
import { variablesText } from "./operations/card.tsx";
import type { Linked } from "./operations/link.ts";
import { LinkButton } from "./operations/linkbutton.tsx";
import { operationsPlugin } from "./operations/plugin.tsx";
import { PaneSwitch, type Pane } from "./panes.tsx";
import { WaitForEditors } from "./ready.tsx";
import { useSchema } from "./schema.ts";
import { Account } from "./signin/account.tsx";
import type { Session } from "./signin/session.ts";
import { storageWithoutHeaders, storedEditors } from "./storage.ts";
import { editorTheme, FollowSystemTheme } from "./theme.tsx";
import { CostBeforeRun } from "./waterfall/cost.tsx";
import { waterfallPlugin } from "./waterfall/plugin.tsx";
import { webhooksPlugin } from "./webhooks/plugin.tsx";

interface Props {
  config: Config;
  session: Session;
  connection: Connection;
  /** The operation of the link by which the user came; null without one. */
  linked: Linked | null;
}

/** The whole page: the user's account, and GraphiQL with our own panels. */
export function App({ config, session, connection, linked }: Props) {
  const schema = useSchema(config.schema ? pageURL("schema.graphql") : null, connection);
  const [pane, setPane] = useState<Pane>("query");
  const [isReady, setReady] = useState(false);
  const parts = useMemo(() => {
    const spent = new Observable<Spent | null>(null);
    const answers = new Answers();
    const ask = askWith(createFetcher(pageURL("graphql"), false, { session, connection, spent: new Observable(null), answers: null }));
    // The other operations need ids, which their panel finds.
    const first = config.operations.slice(0, 1).map((operation): Linked => ({ query: operation.text, variables: variablesText(operation) }));
    const tabs = (linked === null ? first : [linked]).map((operation) => ({ ...operation, headers: null }));
    return {
      answers,
      fetcher: createFetcher(pageURL("graphql"), config.trace, { session, connection, spent, answers }),
      plugins: [operationsPlugin(config, ask), webhooksPlugin, explorerPlugin, waterfallPlugin(spent, config.trace), HISTORY_PLUGIN],
      tabs,
      storage: storageWithoutHeaders(shared),
      // GraphiQL shows the query of the first tab by default, but its variables only if they are passed.
      editors: linked !== null ? { initialQuery: linked.query, initialVariables: linked.variables } : storedEditors(shared) ?? { initialVariables: tabs[0]?.variables ?? "" },
    };
  }, [config, session, connection]);
  return (
    <>
      <Account session={session} />
      <Banner connection={connection} session={session} />
      <main className="console-graphiql" data-pane={pane} inert={!isReady}>
        <GraphiQL
          fetcher={parts.fetcher}
          schema={schema}
          dangerouslyAssumeSchemaIsValid
          editorTheme={editorTheme}
          plugins={parts.plugins}
          defaultTabs={parts.tabs}
          defaultEditorToolsVisibility="variables"
          shouldPersistHeaders={false}
          storage={parts.storage}
          {...parts.editors}
        >
          <WaitForEditors setReady={setReady} />
          <FollowSystemTheme />
          <LeaveEditorsWithTab />
          <GraphiQL.Toolbar>{({ merge, prettify, copy }) => <>{prettify}{merge}{copy}<LinkButton /><CostBeforeRun max={config.maxCost} /></>}</GraphiQL.Toolbar>
          <PaneSwitch pane={pane} setPane={setPane} />
          <GraphiQL.Footer>
            <Answer answers={parts.answers} session={session} />
          </GraphiQL.Footer>
        </GraphiQL>
      </main>
    </>
  );
}
