/** The sums of a list, in all, by status and by day. */

import { add, subtract, type Sum } from "../../base/money.ts";

/** Sums of records. Null is unknown, or that no record has the amount. */
export type Amounts = Partial<Record<AmountName, Sum>>;

export const amountNames = ["amount", "amountPaid", "amountWithdrawn", "refundAmount", "feeAmount", "netAmount"] as const;

export type AmountName = (typeof amountNames)[number];

/** DepositSummary or WithdrawalSummary, grouped by day and status. */
export interface Summary extends Amounts {
  count: number;
  unreadable: number;
  pagesRead: number;
  complete: boolean;
  reason: string | null;
  groups: Group[];
}

interface Group extends Amounts {
  day: string | null;
  statusRaw: string | null;
  count: number;
}

/** A row of a table: the sums of the records with a status, or of a day. */
export interface Row extends Amounts {
  /** Null if the records lack it. */
  key: string | null;
  count: number;
}

/** The sums by status, that with the most records first. */
export function byStatus({ groups }: Summary): Row[] {
  return added(groups, "statusRaw").sort((a, b) => b.count - a.count || (a.key ?? "").localeCompare(b.key ?? ""));
}

/** The sums by day, in their order. */
export function byDay({ groups }: Summary): Row[] {
  return added(groups, "day").sort((a, b) => (a.key ?? "").localeCompare(b.key ?? ""));
}

/** Whether a net amount is not known because a paid deposit has no fee. */
export function isFeeMissing({ amountPaid, netAmount }: Amounts): boolean {
  return netAmount === null && amountPaid !== null;
}

function added(groups: readonly Group[], by: "statusRaw" | "day"): Row[] {
  const feeMissing = new Set<Row>();
  const rows = new Map<string | null, Row>();
  for (const group of groups) {
    const key = group[by];
    const row = rows.get(key) ?? { key, count: 0 };
    row.count += group.count;
    for (const name of amountNames) {
      const sum = group[name];
      if (sum !== undefined) row[name] = add(row[name] ?? null, sum);
    }
    if (isFeeMissing(group)) feeMissing.add(row);
    rows.set(key, row);
  }
  for (const row of feeMissing) row.netAmount = null;
  return [...rows.values()];
}

/** The sums of parts of a list, the newest days first, as if they had been read together. */
export function together(parts: readonly Summary[]): Summary {
  const first = parts.find(({ reason }) => reason !== null) ?? parts[0]!;
  const all: Summary = { ...first, groups: parts.toReversed().flatMap(({ groups }) => groups) };
  for (const name of ["count", "unreadable", "pagesRead"] as const) all[name] = parts.reduce((sum, part) => sum + part[name], 0);
  const some = parts.filter(({ count }) => count > 0); // without records, a sum is known to be 0 only if all parts are empty
  if (some.length > 0) {
    for (const name of amountNames) if (name in all) all[name] = some.reduce<Sum>((sum, part) => add(sum, part[name] ?? null), null);
  }
  if (some.some(isFeeMissing)) all.netAmount = null;
  return all;
}

/** Whether the groups are all that was summed. The gateway holds a limited number of groups. */
export function hasAllGroups({ count, groups }: Summary): boolean {
  return groups.reduce((sum, group) => sum + group.count, 0) === count;
}

/** What is in the sums of `amountPaid` although it was not kept, by status; the records have no refund of it. */
export interface NotKept {
  returned: Sum;
  blocked: Sum;
}

/** The deposits that were returned by dispute (MED), and those that are blocked; null without any, as far as the groups say. */
export function notKept({ groups }: Summary): NotKept {
  const paid = (status: string) => {
    const sums = groups.filter(({ statusRaw }) => statusRaw === status)
      .map(({ amountPaid, refundAmount }) => subtract(amountPaid ?? null, refundAmount ?? null));
    // More may have been refunded than was paid. That is not what was kept, and hides nothing of other groups.
    const total = sums.filter((sum) => !sum?.startsWith("-")).reduce(add, null);
    return total === "0" ? null : total;
  };
  return { returned: paid("INFRACTION"), blocked: paid("BLOCKED") };
}
