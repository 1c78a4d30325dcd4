import { digitsOf, isRecord } from "../base/exact.ts";
import { exactText } from "../base/money.ts";
import { labelOf } from "./words.ts";

/** DepositSummary or WithdrawalSummary of the schema. A field that the operation does not select is absent. */
export interface Summary extends Figures {
  groups?: Group[];
  unreadable?: unknown;
  pagesRead?: unknown;
  complete?: boolean;
  reason?: string | null;
}

/** A group: what it is grouped by, and its figures. */
type Group = Record<string, unknown>;

type Figures = Partial<Record<(typeof figures)[number], unknown>>;

const figures = ["count", "amount", "amountPaid", "refundAmount", "netAmount", "amountWithdrawn", "feeAmount"] as const;

/** The figures that are not in cents: a number, and those whose unit is not documented. */
const notCents: readonly string[] = ["count", "amountWithdrawn", "feeAmount"];

/** What records are grouped by. The value as the API sent it says more than UNKNOWN. */
const keys = [["day", "day"], ["status", "statusRaw"], ["depositOrigin", "depositOriginRaw"]] as const;

/** The groups of a summary as a table, whose figures are drawn as bars. */
export interface Chart {
  keys: string[];
  figures: string[];
  rows: Row[];
  /** The figures of all groups together, with a label each. */
  whole: [label: string, text: string][];
  /** The number of groups that are not drawn. */
  omitted: number;
}

export interface Row {
  keys: string[];
  figures: Figure[];
}

export interface Figure {
  /** The exact value. */
  text: string;
  /** The length of its bar in percent of the longest one of the same unit. */
  percent: number;
  negative: boolean;
}

/** The maximum number of groups that are drawn: the days of a year. */
const maxGroups = 366;

export function chartOf(summary: Summary): Chart {
  const groups = (summary.groups ?? []).filter(isRecord);
  const columns = figures.filter((name) => groups.some((group) => name in group));
  const grouped = keys.filter((names) => groups.some((group) => keyOf(group, names) !== null));
  const longest = new Map<string, number>();
  for (const group of groups) {
    for (const name of columns) longest.set(unitOf(name), Math.max(longest.get(unitOf(name)) ?? 0, Math.abs(sizeOf(group[name]))));
  }
  return {
    keys: grouped.map(([name]) => labelOf(name)),
    figures: columns.map(labelOf),
    rows: groups.slice(0, maxGroups).map((group) => ({
      keys: grouped.map((names) => keyOf(group, names) ?? "none"),
      figures: columns.map((name) => ({
        text: textOf(name, group[name]),
        percent: percentOf(Math.abs(sizeOf(group[name])), longest.get(unitOf(name)) ?? 0),
        negative: sizeOf(group[name]) < 0,
      })),
    })),
    whole: figures.filter((name) => name in summary).map((name) => [labelOf(name), textOf(name, summary[name])]),
    omitted: Math.max(groups.length - maxGroups, 0),
  };
}

function keyOf(group: Group, [name, raw]: (typeof keys)[number]): string | null {
  const [value, sent] = [group[name], group[raw]];
  if (typeof value !== "string") return typeof sent === "string" ? sent : null;
  return typeof sent === "string" && sent !== value ? `${value} (${sent})` : value;
}

function unitOf(name: (typeof figures)[number]): string {
  return notCents.includes(name) ? name : "cents";
}

function textOf(name: (typeof figures)[number], value: unknown): string {
  if (value == null) return "none";
  const digits = digitsOf(value) ?? String(value);
  return (unitOf(name) === "cents" ? exactText(digits) : null) ?? digits;
}

/** A figure as the length of a bar; a rounded number is exact enough for that. */
function sizeOf(value: unknown): number {
  const size = Number(digitsOf(value) ?? (typeof value === "string" ? value : 0));
  return Number.isNaN(size) ? 0 : Math.max(Math.min(size, Number.MAX_VALUE), -Number.MAX_VALUE);
}

function percentOf(size: number, longest: number): number {
  return longest === 0 ? 0 : Math.round(1000 * (size / longest)) / 10;
}
