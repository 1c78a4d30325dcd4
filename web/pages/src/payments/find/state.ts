import { nothing, type Found } from "./found.ts";
import type { Days } from "../route.ts";
import type { Hits } from "./lookup.ts";
import { defaultSpan, type Span } from "./span.ts";
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
  /** The days that were searched, besides which others can be; null if the text is not searched by days, or was found. */
  searched: Days | null;
}

const noHits: Hits = { transaction: null, withdrawal: null, notification: null };

export const idle: SearchState = {
  entered: "", span: defaultSpan, meanings: null, steps: [], hits: noHits, found: nothing, running: false, searched: null,
};
