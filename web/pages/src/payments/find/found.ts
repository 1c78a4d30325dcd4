import { digitsOf } from "../../base/exact.ts";
import type { Kind } from "../route.ts";
import { reasonOf, type Compared, type Reason } from "./match.ts";
import type { Task } from "./plan.ts";
import type { DepositRow, WithdrawalRow } from "../rows/rowdata.ts";

/** A record of a searched list. */
export type Searched = (DepositRow | WithdrawalRow) & Compared;

/** Payments that were found, each once, the newest first, with the reasons by id. */
export interface Found {
  deposits: DepositRow[];
  withdrawals: WithdrawalRow[];
  reasons: ReadonlyMap<string, Reason>;
}

export const nothing: Found = { deposits: [], withdrawals: [], reasons: new Map() };

/** The records of a page that a task wants. */
export function wantedOf({ wanted, cents }: Task, nodes: readonly (Searched | null)[]): { record: Searched; reason: Reason | null }[] {
  const records = nodes.filter((node) => node !== null).filter(({ amount }) => cents === null || digitsOf(amount) === String(cents));
  if (wanted === null) return records.map((record) => ({ record, reason: null }));
  return records.flatMap((record) => {
    const reason = reasonOf(record, wanted);
    return reason === null ? [] : [{ record, reason }];
  });
}

/** What was found, with more. A record that was found before stays as it was read last. */
export function withMore(found: Found, kind: Kind, more: readonly { record: Searched; reason: Reason | null }[]): Found {
  if (more.length === 0) return found;
  const rows = new Map<string, DepositRow | WithdrawalRow>(found[kind].map((row) => [row.id, row]));
  const reasons = new Map(found.reasons);
  for (const { record, reason } of more) {
    rows.set(record.id, record);
    // A deposit and a withdrawal may have the same id.
    if (reason !== null) reasons.set(`${kind} ${record.id}`, reason);
  }
  const newest = [...rows.values()].sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
  return { ...found, [kind]: newest, reasons };
}

/** Whether a payment has what was searched, and not only the amount. */
export function hasReasons({ reasons }: Found): boolean {
  return reasons.size > 0;
}

/** Whether a payment was found for certain, or one that differs in a single character from what looks like an EndToEndId. */
export function isFound({ deposits, withdrawals, reasons }: Found, mistyped: boolean): boolean {
  const doubtOf = (kind: Kind, { id }: { id: string }) => reasons.get(`${kind} ${id}`)?.doubt ?? null;
  const doubts = [...deposits.map((row) => doubtOf("deposits", row)), ...withdrawals.map((row) => doubtOf("withdrawals", row))];
  return doubts.some((doubt) => doubt === null || (mistyped && doubt === "edit"));
}
