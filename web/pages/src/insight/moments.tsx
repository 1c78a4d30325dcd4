import { momentsOf } from "./timeline.ts";
import type { Meaning } from "./words.ts";

/** A timeline: the dated facts of a payment in the gateway's order, with the time between them. */
export function Moments({ timeline, meaning }: { timeline: unknown[]; meaning: Meaning }) {
  const { moments, omitted } = momentsOf(timeline);
  return (
    <>
      {moments.length === 0 && <p>The record has no dates.</p>}
      <ol className="moments" role="list">
        {moments.map(({ entry: { at, source, index, status }, time, lasted, untilNext }, position) => (
          <li key={position}>
            {time !== null && <time dateTime={at ?? undefined} title={at ?? undefined}>{time}</time>}{" "}
            {(status ?? source) !== undefined && <strong>{status ?? source}</strong>}{" "}
            {source !== undefined && <span>{meaning("TimelineSource", source) ?? source}</span>}{" "}
            {typeof index === "number" && <span>Entry {index} of the history.</span>}{" "}
            {lasted !== null && <span>{lasted}</span>}
            {untilNext !== null && <span className="moments-gap">{untilNext}</span>}
          </li>
        ))}
      </ol>
      {omitted > 0 && <p>{omitted} more are not drawn. The JSON has all of them.</p>}
    </>
  );
}
