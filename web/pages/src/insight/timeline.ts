import { isRecord } from "../base/exact.ts";
import { localTime, timeSpan } from "../base/format.ts";

/** TimelineEntry of the schema. A field that the operation does not select is absent. */
export interface Entry {
  at?: string | null;
  source?: string;
  index?: unknown;
  status?: string | null;
  durationInMilliseconds?: unknown;
  sincePreviousInMilliseconds?: unknown;
}

/** An entry as it is drawn. A text is null if there is nothing to say. */
export interface Moment {
  entry: Entry;
  /** The time in the reader's zone, or as the API sent it if it cannot be converted. */
  time: string | null;
  /** How long the record had the status, in the words of the API. */
  lasted: string | null;
  /** The time until the next entry. */
  untilNext: string | null;
}

/** The maximum number of entries that are drawn. */
const maxMoments = 50;

/** The entries in the gateway's order. Nothing is sorted or computed here: the gateway says how far apart they are. */
export function momentsOf(timeline: unknown[]): { moments: Moment[]; omitted: number } {
  const entries = timeline.filter(isRecord) as Entry[];
  const moments = entries.slice(0, maxMoments).map((entry, index) => ({
    entry, time: timeOf(entry), lasted: lastedOf(entry), untilNext: gapBefore(entries[index + 1]),
  }));
  return { moments, omitted: Math.max(entries.length - maxMoments, 0) };
}

function timeOf({ at }: Entry): string | null {
  if (at === undefined) return null;
  return at === null ? "No time" : localTime(at) ?? at;
}

function lastedOf({ durationInMilliseconds }: Entry): string | null {
  const span = timeSpan(durationInMilliseconds);
  return span === null ? null : `durationInMilliseconds of the API: ${span}`;
}

/** What is between an entry and the one before it. */
function gapBefore(entry: Entry | undefined): string | null {
  const millis = entry?.sincePreviousInMilliseconds;
  if (millis === undefined) return null;
  const span = timeSpan(millis);
  if (span === null) return "unknown time until the next";
  return span === "0 s" ? "the next is at the same time" : `${span} until the next`;
}
