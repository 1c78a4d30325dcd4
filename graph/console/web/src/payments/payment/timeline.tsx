import { digitsOf } from "../../exact.ts";
import type { Entry } from "../../insight/timeline.ts";
import { Moment } from "../parts/moment.tsx";
import { Panel } from "../parts/panel.tsx";
import { Status } from "../parts/status.tsx";
import { payment as words } from "../words/payment.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { spanText, stepsOf } from "./steps.ts";

/** What is drawn at most: a payment has about ten entries, and the API may send any number. */
const most = 100;

/** What happened to a record, in the gateway's order, the oldest first. */
export function Timeline({ entries }: { entries: Entry[] | null }) {
  const w = useWords(words);
  const steps = stepsOf(entries ?? []);
  return (
    <Panel title={w.timeline}>
      {entries === null ? <p>{w.noTimeline}</p> : (
        <ol className="timeline">
          {steps.length > most && <li className="fine">{w.earlier(steps.length - most)}</li>}
          {steps.slice(-most).map((entry, index) => <Step key={index} entry={entry} />)}
        </ol>
      )}
    </Panel>
  );
}

function Step({ entry: { at, source = "", status, sincePreviousInMilliseconds: since } }: { entry: Entry }) {
  const w = useWords(words);
  const millis = digitsOf(since);
  const span = spanText(millis, useLocale());
  return (
    <li>
      <span>{typeof status === "string" ? <Status status={status} /> : w.sources[source] ?? source}</span>
      <span className="timeline-time">{typeof at === "string" ? <Moment at={at} seconds /> : w.noTime}</span>
      {span !== null && <span className="fine" title={`${millis} ms`}>{w.after(span)}</span>}
    </li>
  );
}
