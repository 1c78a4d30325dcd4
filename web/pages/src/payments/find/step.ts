import { Failure } from "../gateway.ts";
import type { ById } from "../route.ts";
import type { Key } from "./lookup.ts";
import type { Task } from "./plan.ts";

/** What a step tries. */
export type Trial =
  | { of: "record"; record: ById }
  | { of: "key"; text: string }
  | { of: "code" }
  | { of: "list"; task: Task };

/** A step of a search, with its bounds and its count: what the page says about what was tried. */
export interface Step {
  id: number;
  trial: Trial;
  /** "stopped" by the user, before it was read. */
  state: "waiting" | "reading" | "read" | "failed" | "skipped" | "stopped";
  error: unknown;
  /** Records that were found. */
  found: number;
  /** Records and pages that were read, and the records of the list; of a list only. */
  read: number;
  pages: number;
  total: number | null;
  /** Records that are invalid, so that they were not compared. */
  invalid: number;
  /** Whether the list has pages that were not read yet. */
  more: boolean;
  /** Whether the list has pages that this gateway cannot request. */
  unreachable: boolean;
  /** Why the text is not a valid Pix key; null for other steps. */
  key: Key | null;
}

export function newStep(id: number, trial: Trial): Step {
  return {
    id, trial, state: "waiting", error: null, found: 0, read: 0, pages: 0, total: null, invalid: 0, more: false, unreachable: false, key: null,
  };
}

/** Whether all records of a list were read, as far as the API counts them. Of another step it is true. */
export function isWhole({ more, unreachable, read, total }: Step): boolean {
  return !more && !unreachable && read >= (total ?? 0);
}

/** The records of ranges that were read, and how many there are: null if that is not known of a list that is needed. */
export function progressOf(steps: readonly Step[]): { read: number; total: number | null; isWhole: boolean } {
  const lists = steps.filter((step) => isDated(step) && step.state !== "skipped");
  const totals = lists.map(({ total, read }) => (total === null ? null : Math.max(total, read)));
  return {
    read: lists.reduce((sum, { read }) => sum + read, 0),
    total: totals.reduce((sum, total) => (sum === null || total === null ? null : sum + total), 0 as number | null),
    isWhole: steps.every((step) => step.state !== "failed" && step.state !== "stopped" && (step.state === "skipped" || isWhole(step))),
  };
}

/** Whether the results of a step depend on a filter by date, which the APIs do not document exactly. */
export function isDated({ trial }: Step): boolean {
  return trial.of === "list" && trial.task.how.by !== "filter";
}

/** The error of the steps that failed, if there are several for the same reason: the user needs to read it once. */
export function commonError(steps: readonly Step[]): unknown {
  const errors = steps.filter(({ state }) => state === "failed").map(({ error }) => error);
  const isSame = new Set(errors.map((error) => `${codeOf(error)} ${error instanceof Failure ? error.extensions.service : ""}`)).size === 1;
  return errors.length > 1 && isSame ? errors[0] : null;
}

/** The codes of failures that would be the same later. */
const lasting: ReadonlySet<string> = new Set(["FORBIDDEN", "BAD_USER_INPUT", "LIMIT_EXCEEDED", "UPSTREAM_INVALID_RESPONSE"]);

/** Whether a list could not be read that may be readable later, so that nothing further is to be searched before it. */
export function isInterrupted(steps: readonly Step[]): boolean {
  return steps.some(({ state, trial, error }) => state === "failed" && trial.of === "list" && !lasting.has(codeOf(error)));
}

function codeOf(error: unknown): string {
  return error instanceof Failure ? error.code : "";
}
