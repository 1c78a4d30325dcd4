import { daysText } from "../parts/moment.tsx";
import type { Days } from "../route.ts";
import type { find } from "../words/find.ts";
import { hasReasons } from "./found.ts";
import type { SearchState } from "./state.ts";
import { isWhole, progressOf, type Step } from "./step.ts";

type Words = (typeof find)["en"];

/** What the page says about a search as a whole. */
export function saidOf(state: SearchState, count: number, words: Words, locale: string): string {
  const { running, meanings, steps } = state;
  const reasons = [...state.found.reasons.values()];
  const isDoubtful = reasons.length > 0 && reasons.every(({ doubt }) => doubt !== null);
  const isPossible = meanings?.mistyped !== undefined || isDoubtful || (meanings?.named !== undefined && !hasReasons(state.found));
  const found = (isPossible ? words.foundPossible : words.found)(count, count.toLocaleString(locale));
  if (running) return count > 0 ? `${words.searching} ${found}` : words.searching;
  const { read, total, isWhole: isAllRead } = progressOf(steps);
  const notAll = words.notAll(read.toLocaleString(locale), total === null ? null : total.toLocaleString(locale));
  if (count > 0) return isAllRead ? found : `${found} ${notAll}`;
  if (meanings !== null && steps.length === 0) {
    return meanings.several ? words.several : meanings.day === undefined ? words.unknown : meanings.day === null ? words.noSuchDay : words.onlyDay;
  }
  const days = meanings?.uuid === undefined ? null : daysOf(steps);
  const isEnded = steps.some((step) => step.state === "failed" || step.state === "stopped");
  if (isEnded || (days === null && !isAllRead)) return `${words.incomplete} ${notAll}`;
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
