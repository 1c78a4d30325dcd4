import { useGraphiQL } from "@graphiql/react";
import { useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { createPortal } from "react-dom";
import { pageURL } from "../base/config.ts";
import { useCopy } from "../base/copy.ts";
import { DownloadButtons } from "../download/buttons.tsx";
import { parseExact } from "../base/exact.ts";
import { Events } from "../live/events.tsx";
import type { Stream } from "../live/stream.ts";
import { operationToRun } from "../operations/name.ts";
import { Previews } from "../preview/previews.tsx";
import type { Session } from "../signin/session.ts";
import type { Answered } from "../operations/answered.ts";
import type { Answers } from "../live/answers.ts";
import { curlOf, type Content } from "../operations/curl.ts";
import { selectedFields } from "../operations/fields.ts";
import { Grid } from "./grid.tsx";
import { tablesOf, type Cell } from "./tables.ts";

/** What the page shows around GraphiQL's view of a response: above it a bar, or tables in its place; below it previews. */
export function Answer({ answers, session }: { answers: Answers; session: Session }) {
  const { shown, responseEditor } = useGraphiQL(({ tabs, activeTabIndex, responseEditor }) => ({
    shown: tabs[activeTabIndex]?.response ?? "", responseEditor,
  }));
  const newest = answers.of(shown);
  const stream = newest?.stream ?? null;
  // An older event that the user has selected.
  const [selected, select] = useState<Answered | null>(null);
  const answered = stream?.state.get().events.find((event) => event === selected) ?? newest?.answered ?? null;
  const [unfolded, unfold] = useState<Answered | null>(null);
  const [asTable, showTable] = useState(false);
  const footer = useRef<HTMLDivElement>(null);
  const host = useHost(footer);
  const whole = answered !== null && unfolded === answered;
  useEffect(() => {
    if (answered !== null) responseEditor?.setValue(whole ? answered.text : answered.folded);
  }, [answered, whole, shown, responseEditor]);
  return (
    <div ref={footer} className="answer-footer">
      {host &&
        createPortal(
          <>
            <Bar session={session} run={stream ?? answered} answered={answered} asTable={asTable} showTable={showTable} whole={whole} unfold={unfold} />
            {stream && <Events stream={stream} shown={answered} select={select} />}
            {asTable && <Tables answered={answered} shown={shown} />}
          </>,
          host,
        )}
      <Previews answered={answered} />
    </div>
  );
}

/** An element before GraphiQL's view of the response, so that the order of the focus is that of the screen. */
function useHost(footer: RefObject<HTMLElement | null>): HTMLElement | null {
  const [host, setHost] = useState<HTMLElement | null>(null);
  useEffect(() => {
    const element = document.createElement("div");
    element.className = "answer";
    footer.current?.closest(".graphiql-response")?.prepend(element);
    setHost(element);
    return () => element.remove();
  }, [footer]);
  return host;
}

interface BarProps {
  session: Session;
  /** What the answer belongs to: a stream has several. */
  run: Stream | Answered | null;
  answered: Answered | null;
  asTable: boolean;
  showTable: (asTable: boolean) => void;
  whole: boolean;
  unfold: (answered: Answered | null) => void;
}

function Bar({ session, run, answered, asTable, showTable, whole, unfold }: BarProps) {
  const answer = useCopy(answered);
  const curl = useCopy(run); // an event says nothing about the command
  const [problem, setProblem] = useState("");
  const editors = useGraphiQL(({ queryEditor, variableEditor, headerEditor, operationName }) => ({
    queryEditor, variableEditor, headerEditor, operationName,
  }));
  const { query, variables } = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]) ?? {};
  /** What the editors have now: the tab gets it with a delay. */
  const content = (): Content => {
    const query = editors.queryEditor?.getValue() ?? "";
    return {
      query, operationName: operationToRun(query, editors.operationName ?? null),
      variables: editors.variableEditor?.getValue() ?? "", headers: editors.headerEditor?.getValue() ?? "",
    };
  };
  const copyCurl = () => {
    try {
      const command = curlOf(pageURL("graphql"), content());
      setProblem("");
      curl.copy(command, "the command; set TOKEN before you run it");
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <section className="answer-bar" aria-label="Answer">
      <div className="answer-views" role="group" aria-label="View of the answer">
        <Toggle pressed={!asTable} press={() => showTable(false)}>JSON</Toggle>
        <Toggle pressed={asTable} press={() => showTable(true)}>Table</Toggle>
      </div>
      <span className="answer-figures" role="status">
        {answered?.figures}
      </span>
      {answered && answered.folded !== answered.text && !asTable && (
        <Toggle pressed={whole} press={() => unfold(whole ? null : answered)}>Show base64</Toggle>
      )}
      {answered && (
        <button type="button" className="console-button" onClick={() => answer.copy(answered.text, "the answer")}>Copy answer</button>
      )}
      <button type="button" className="console-button" onClick={copyCurl}>Copy as curl</button>
      <span role="status">{[problem, answer.said, curl.said].filter(Boolean).join(" ")}</span>
      <DownloadButtons
        session={session} query={query ?? ""} variables={variables ?? ""}
        operationName={operationToRun(query ?? "", editors.operationName ?? null)} content={content}
      />
    </section>
  );
}

function Toggle({ pressed, press, children }: { pressed: boolean; press: () => void; children: string }) {
  return (
    <button type="button" className="console-button" aria-pressed={pressed} onClick={press}>
      {children}
    </button>
  );
}

function Tables({ answered, shown }: { answered: Answered | null; shown: string }) {
  const schema = useGraphiQL((state) => state.schema);
  const [selected, select] = useState<Cell | null>(null);
  const tables = useMemo(
    () => (answered === null ? [] : tablesOf(parseExact(answered.text), selectedFields(schema, answered.asked))),
    [answered, schema],
  );
  const { said, copy } = useCopy(tables);
  useEffect(() => select(null), [tables]);
  const copyCell = (cell: Cell) => copy(cell.value, "the cell");
  return (
    <section className="answer-tables" aria-label="The answer as tables">
      <div className="answer-bar">
        <button type="button" className="console-button" disabled={selected === null} onClick={() => selected && copyCell(selected)}>
          Copy cell
        </button>
        <span role="status">{said || (tables.length > 0 ? "Select a cell to copy it." : "")}</span>
      </div>
      {tables.length === 0 && <p>{answered === null ? shown || "Run an operation to see its answer." : "The answer has no records."}</p>}
      {tables.map((table, index) => <Grid key={index} table={table} select={select} copy={copyCell} />)}
    </section>
  );
}
