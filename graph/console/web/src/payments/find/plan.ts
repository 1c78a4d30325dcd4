import type { Kind } from "../route.ts";
import { matchedFields, type Wanted } from "./match.ts";
import type { List } from "../pages.ts";
import { depositRow, withdrawalRow } from "../rows/rowdata.ts";
import { daysOf, rangeOf, rangesAround, untilDay, type Range, type Span } from "./span.ts";
import type { Meanings } from "./text.ts";

/** The filters of withdrawals that select by a text. */
export type ExactField = "endToEnd" | "endToEndRefund" | "externalCode" | "pixKey";

/** How a list is searched. */
export type How =
  /** The API selects the records. */
  | { by: "filter"; field: ExactField; value: string }
  /** The API selects the records by amount and date. Those beyond the limits of its filter are compared here. */
  | { by: "amount"; cents: number; beyond: boolean; range: Range }
  /** All records of a range are read and compared here. */
  | { by: "reading"; range: Range };

/** A list that is searched. */
export interface Task {
  kind: Kind;
  how: How;
  list: List;
  /** What the records are compared with; null if every record of the list is wanted. */
  wanted: Wanted | null;
  cents: number | null;
}

/** The lists that are searched for a text. */
export interface Plan {
  /** By filters of the API, at the same time. */
  exact: Task[];
  /** One after the other. */
  ranges: Task[];
}

// The limits of the filters, in cents (spec 4.1, 4.2).
const limits: Record<Kind, { min: number; max: number }> = {
  deposits: { min: 1, max: 10_000_000 },
  withdrawals: { min: 10, max: 10_000_000 },
};

/** Decides what is searched for a text. The keys are those that the gateway has read, in normal form. */
export function planOf(meanings: Meanings, keys: readonly string[], span: Span, now: Date): Plan {
  const { endToEnd } = meanings;
  if (endToEnd !== undefined) {
    const exact = (["endToEnd", "endToEndRefund"] as const).map((field) => exactTask(field, endToEnd.id));
    const ranges = rangesAround(endToEnd.minute, endToEnd.refund);
    return { exact, ranges: ranges.flatMap((range) => tasksIn(meanings, keys, range)) };
  }
  const exact = keys.map((key) => exactTask("pixKey", key));
  if (meanings.externalCode !== undefined) exact.push(exactTask("externalCode", meanings.externalCode));
  const { minute = null, refund = false } = meanings.mistyped ?? {};
  const { day } = meanings;
  const ranges = minute !== null ? rangesAround(minute, refund) : [typeof day === "string" ? untilDay(day) : rangeOf(daysOf(span, now))];
  return { exact, ranges: ranges.flatMap((range) => tasksIn(meanings, keys, range)) };
}

/** What is searched in a range: the deposits, which have no filter but dates and amounts, and maybe the withdrawals. */
export function tasksIn(meanings: Meanings, keys: readonly string[], range: Range): Task[] {
  const { text, uuid, endToEnd, mistyped, part, brCode, document, cents, named, externalCode, name } = meanings;
  const wanted: Wanted = {
    ...(uuid !== undefined && { id: uuid }),
    ...(endToEnd !== undefined && { endToEnd: endToEnd.id }),
    ...(mistyped !== undefined && { mistyped: mistyped.id }),
    ...(part !== undefined && { part }),
    ...(externalCode !== undefined && { externalCode }),
    ...(brCode !== undefined && { pixCode: text }),
    ...(name !== undefined && { name }),
    documents: document === undefined ? [] : [document],
    keys: [...keys],
  };
  const tasks: Task[] = [];
  const isWanted = uuid ?? endToEnd ?? mistyped ?? part ?? brCode ?? document ?? externalCode ?? name ?? keys[0];
  for (const kind of ["deposits", "withdrawals"] as const) {
    if (cents !== undefined) tasks.push(amountTask(kind, cents, range));
    if (named !== undefined) tasks.push(amountTask(kind, named.cents, range, named.name));
  }
  // What was taken as a name may be other words.
  if (named !== undefined) tasks.push(amountTask("deposits", named.cents, range), amountTask("withdrawals", named.cents, range));
  if (isWanted !== undefined) tasks.push(readingTask("deposits", wanted, range));
  // The other texts have a filter. It may distinguish capital letters, and an EndToEndId begins with one.
  const isLowered = endToEnd !== undefined && /^[ed]/.test(endToEnd.id);
  if ((name ?? document ?? mistyped ?? part) !== undefined || isLowered) tasks.push(readingTask("withdrawals", wanted, range));
  return tasks;
}

function exactTask(field: ExactField, value: string): Task {
  return { kind: "withdrawals", how: { by: "filter", field, value }, list: listOf("withdrawals", { [field]: value }), wanted: null, cents: null };
}

/** With a name, those of the amount are compared with it. */
function amountTask(kind: Kind, cents: number, range: Range, name?: string): Task {
  const { min, max } = limits[kind];
  const filter = {
    ...datesOf(range),
    ...(cents >= min && { minAmount: Math.min(cents, max) }),
    ...(cents <= max && { maxAmount: Math.max(cents, min) }),
  };
  const beyond = cents < min || cents > max;
  const wanted = name === undefined ? null : { name, documents: [], keys: [] };
  return { kind, how: { by: "amount", cents, beyond, range }, list: listOf(kind, filter), wanted, cents };
}

function readingTask(kind: Kind, wanted: Wanted, range: Range): Task {
  return { kind, how: { by: "reading", range }, list: listOf(kind, datesOf(range), wanted.pixCode !== undefined), wanted, cents: null };
}

function datesOf({ startDate, endDate }: Range): Record<string, unknown> {
  return { startDate, endDate };
}

function listOf(kind: Kind, filter: Record<string, unknown>, pixCode = false): List {
  const row = kind === "deposits" ? "...DepositRow" : "...WithdrawalRow";
  const code = pixCode && kind === "deposits" ? " pixResponse { uri }" : "";
  return { kind, filter, selection: `${row}${matchedFields}${code}`, fragments: kind === "deposits" ? depositRow : withdrawalRow };
}
