import type { Kind } from "../route.ts";
import { matchedFields, type Wanted } from "./match.ts";
import type { List } from "../pages.ts";
import { depositRow, withdrawalRow } from "../rows/rowdata.ts";
import { daysOf, defaultSpan, hullOf, rangeOf, rangesAround, untilDay, type Range, type Span } from "./span.ts";
import { minCode, type Meanings } from "./text.ts";

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
  const { endToEnd, externalCode } = meanings;
  const exact = endToEnd === undefined
    ? [...keys.map((key) => exactTask("pixKey", key)), ...(externalCode === undefined || externalCode.length < minCode ? [] : [exactTask("externalCode", externalCode)])]
    : (["endToEnd", "endToEndRefund"] as const).map((field) => exactTask(field, endToEnd.id));
  return { exact, ranges: rangesFor(meanings, span, now).flatMap((range) => tasksIn(meanings, keys, range)) };
}

/** The ranges in which a text is searched: around its minute, on its days, or on those that the user chose. */
function rangesFor({ endToEnd, mistyped, day, until }: Meanings, span: Span, now: Date): Range[] {
  const chosen = rangeOf(daysOf(span, now));
  const { minute = null, refund = false } = endToEnd ?? mistyped ?? {};
  if (minute !== null) {
    const around = rangesAround(minute, refund);
    const { from, to } = hullOf(around) ?? { from: "", to: "" };
    const isWithin = chosen.days !== null && chosen.days.from >= from && chosen.days.to <= to;
    return span.choice === defaultSpan.choice || isWithin ? around : [...around, chosen];
  }
  if (typeof day !== "string") return [chosen];
  return [until === undefined ? untilDay(day) : rangeOf({ from: day, to: until })];
}

/** What is searched in a range: the deposits, which have no filter but dates and amounts, and maybe the withdrawals. */
export function tasksIn(meanings: Meanings, keys: readonly string[], range: Range): Task[] {
  const { uuid, endToEnd, mistyped, part, brCode, document, cents, named, externalCode, name } = meanings;
  const wanted: Wanted = {
    ...(uuid !== undefined && { id: uuid }),
    ...(endToEnd !== undefined && { endToEnd: endToEnd.id }),
    ...(mistyped !== undefined && { mistyped: mistyped.id }),
    ...(part !== undefined && { part }),
    ...(externalCode !== undefined && { externalCode }),
    ...(brCode !== undefined && { pixCode: brCode }),
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
  // The other texts have a filter. It may distinguish capital letters.
  const isShort = externalCode !== undefined && externalCode.length < minCode;
  if ((name ?? document ?? mistyped ?? part) !== undefined || isShort || endToEnd?.recased) tasks.push(readingTask("withdrawals", wanted, range));
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
