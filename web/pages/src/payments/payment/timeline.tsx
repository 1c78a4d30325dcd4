import { digitsOf } from "../../base/exact.ts";
import type { Entry } from "../../insight/timeline.ts";
import { Moment } from "../parts/moment.tsx";
import { Panel } from "../parts/panel.tsx";
import { Status } from "../parts/status.tsx";
import { hrefOf } from "../route.ts";
import { parts } from "../words/parts.ts";
import { payment as words } from "../words/payment.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { announcedBy } from "./announced.ts";
import type { Webhook } from "./documents.ts";
import { spanText, stepsOf, withAttempts, type Attempted } from "./steps.ts";

/** What is drawn at most: a payment has about ten entries, and the API may send any number. */
const most = 100;

/** What happened to a record, in the gateway's order, the oldest first. */
export function Timeline({ entries, webhooks = [] }: { entries: Entry[] | null; webhooks?: readonly Webhook[] }) {
  const w = useWords(words);
  const steps = withAttempts(stepsOf(entries ?? []), webhooks);
  return (
    <Panel title={w.timeline}>
      {entries === null ? <p>{w.noTimeline}</p> : (
        <ol className="timeline">
          {steps.length > most && <li className="fine">{w.earlier(steps.length - most)}</li>}
          {steps.slice(-most).map((step, index) => ("webhook" in step ? <Attempted key={index} {...step} /> : <Step key={index} entry={step} />))}
        </ol>
      )}
    </Panel>
  );
}

/** An attempt to deliver a webhook, with its answer and a link to it. */
function Attempted({ at, webhook, statusCode }: Attempted) {
  const w = useWords(words);
  const { statuses } = useWords(parts);
  const announced = announcedBy(webhook);
  return (
    <li>
      <span className="attempt">
        <a href={hrefOf({ view: "notification", id: webhook.id })}>{w.notification}</a>{announced !== null && ` ${statuses[announced] ?? announced}`}: {statusCode || w.noAnswer}
      </span>
      <span className="timeline-time"><Moment at={at} seconds /></span>
    </li>
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
