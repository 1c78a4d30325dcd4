import type { Days } from "../route.ts";
import type { find } from "../words/find.ts";
import { hasReasons } from "./found.ts";
import { daysText } from "./rangetext.ts";
import type { SearchState } from "./state.ts";
import { isWhole, type Step } from "./step.ts";

type Words = (typeof find)["en"];

/** What the page says about a search as a whole. */
export function saidOf(state: SearchState, count: number, words: Words, locale: string): string {
  const { running, meanings, steps } = state;
  if (running) return words.searching;
  const isPossible = meanings?.mistyped !== undefined || (meanings?.named !== undefined && !hasReasons(state.found));
  if (count > 0) return isPossible ? words.foundPossible(count) : words.found(count);
  if (meanings !== null && steps.length === 0) {
    return meanings.day === undefined ? words.unknown : meanings.day === null ? words.noSuchDay : words.onlyDay;
  }
  if (steps.some((step) => step.state === "failed" || step.state === "stopped")) return words.incomplete;
  const days = meanings?.uuid === undefined ? null : daysOf(steps);
  return days === null ? words.nothing : [words.noRecord(recordsOf(steps)), words.depositsOnly(daysText(days, locale), steps.every(isWhole))].join(" ");
}

/** The records that were looked up by their id. */
function recordsOf(steps: readonly Step[]) {
  return steps.flatMap(({ trial }) => (trial.of === "record" ? [trial.record] : []));
}

/** From the first to the last day whose deposits were read. The ranges of a search follow each other. */
function daysOf(steps: readonly Step[]): Days | null {
  const read = steps.flatMap(({ trial }) => {
    if (trial.of !== "list" || trial.task.kind !== "deposits" || trial.task.how.by === "filter") return [];
    return trial.task.how.range.days ?? [];
  });
  if (read.length === 0) return null;
  const all = read.flatMap(({ from, to }) => [from, to]).sort();
  return { from: all[0] ?? "", to: all.at(-1) ?? "" };
}
