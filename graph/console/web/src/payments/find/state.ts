import { nothing, type Found } from "./found.ts";
import type { Hits } from "./lookup.ts";
import { defaultSpan, type Range, type Span } from "./span.ts";
import type { Step } from "./step.ts";
import type { Meanings } from "./text.ts";

/** A search as the page shows it. */
export interface SearchState {
  /** What the user entered, and the days that are searched by reading. */
  entered: string;
  span: Span;
  /** What the text may be; null before the first search. */
  meanings: Meanings | null;
  steps: Step[];
  hits: Hits;
  found: Found;
  running: boolean;
  /** The earlier range that can be searched next; null if the text is not searched by ranges, or was found. */
  further: Range | null;
}

const noHits: Hits = { transaction: null, withdrawal: null, notification: null };

export const idle: SearchState = {
  entered: "", span: defaultSpan, meanings: null, steps: [], hits: noHits, found: nothing, running: false, further: null,
};
