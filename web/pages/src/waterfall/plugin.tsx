import type { GraphiQLPlugin } from "@graphiql/react";
import { iconOf } from "../base/icon.tsx";
import { useObservable, type Observable } from "../base/observable.ts";
import type { Spent } from "../base/trace.ts";
import { costText } from "./cost.tsx";
import { Waterfall } from "./waterfall.tsx";

/** A panel that shows the upstream calls of the last operation. */
export function waterfallPlugin(spent: Observable<Spent | null>, traceIsOn: boolean): GraphiQLPlugin {
  return { title: "Upstream calls", icon: iconOf("M1 2h6M3 5.5h5M5 9h7M9 12.5h4"), content: () => <Panel spent={spent} traceIsOn={traceIsOn} /> };
}

function Panel({ spent, traceIsOn }: { spent: Observable<Spent | null>; traceIsOn: boolean }) {
  const last = useObservable(spent);
  return (
    <section aria-label="Upstream calls" className="console-panel">
      <h2 className="graphiql-doc-explorer-title">Upstream calls</h2>
      {!traceIsOn && (
        <p>
          Call tracing is off. Start the gateway with <code>--trace=on</code> to see its upstream calls here.
        </p>
      )}
      {traceIsOn && last === null && <p>Run an operation to see its upstream calls.</p>}
      {traceIsOn && last?.streams && <p>The reads of a subscription are shared by its clients, and are not listed here.</p>}
      {traceIsOn && last?.streams === false && last.trace === null && <p>The last operation was refused before it made a call.</p>}
      {last?.cost && <p className="waterfall-cost">{costText(last.cost.upstreamCalls, last.cost.max)}</p>}
      {last?.trace && <Waterfall trace={last.trace} name={last.operationName} />}
    </section>
  );
}
