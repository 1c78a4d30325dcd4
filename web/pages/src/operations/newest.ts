import type { GraphQLFormattedError } from "graphql";
import type { Ask } from "../base/ask.ts";
import type { RecordName } from "../base/config.ts";

/** The ids of records that the caller may read; a record that was not found is absent. */
export type Found = Partial<Record<RecordName, string>>;

/** What was found. After a failure it is not known whether there is a record that was not found. */
export interface Search {
  found: Found;
  failure: GraphQLFormattedError | null;
}

// The payments of the caller's newest page whose notifications are read: enough to find one that was not delivered.
const payments = 5;

export const newest = `query Newest {
  deposits { nodes { id } }
  open: deposits(filter: { status: [PENDING, PIX_QRCODE_GENERATED] }) { nodes { id } }
}`;

export const details = `query Payments($ids: [ID!]!, $open: [ID!]!, $notifications: Boolean!) {
  transactions(ids: $ids) {
    id
    notifications @include(if: $notifications) { nodes { id status } }
  }
  open: transactions(ids: $open) { id }
}`;

type Node = { id: string } | null;
type List = { nodes: Node[] } | null;

interface Payment {
  id: string;
  notifications?: { nodes: ({ id: string; status: string } | null)[] } | null;
}

interface Details {
  transactions: (Payment | null)[] | null;
  open: Node[] | null;
}

/**
 * Finds records on the caller's newest pages. The APIs list deposits but not transactions; a deposit is used if a
 * transaction has its id.
 */
export async function findNewest(ask: Ask, wanted: RecordName[], links: boolean): Promise<Search> {
  const { data, errors = [] } = await ask<{ deposits: List; open: List }>(newest, {});
  const ids = idsOf(data?.deposits, payments);
  const open = idsOf(data?.open, 1);
  const notifications = links && wanted.includes("notification");
  // A list of ids must not be empty.
  const read = ids.length + open.length > 0
    ? await ask<Details>(details, { ids: ids.length > 0 ? ids : open, open: open.length > 0 ? open : ids, notifications })
    : {};
  const found = choose(read.data ?? { transactions: null, open: null }, open);
  const error = [...errors, ...(read.errors ?? [])].find(({ extensions }) => extensions?.["code"] !== "NOT_FOUND");
  const complete = wanted.every((record) => found[record] !== undefined);
  return { found, failure: complete ? null : error ?? null };
}

function idsOf(list: List | undefined, limit: number): string[] {
  return (list?.nodes ?? []).flatMap((node) => (node ? [node.id] : [])).slice(0, limit);
}

/** Chooses the most instructive records: a notification that was not delivered, and its transaction. */
export function choose(read: Details, open: string[]): Found {
  const found: Found = {};
  const transactions = (read.transactions ?? []).filter((payment) => payment !== null);
  const pairs = transactions.flatMap((payment) =>
    (payment.notifications?.nodes ?? []).flatMap((node) => (node ? [{ transaction: payment.id, ...node }] : [])),
  );
  const pair = pairs.find(({ status }) => status === "FAILED" || status === "ERROR") ?? pairs[0];
  const transaction = pair?.transaction ?? transactions[0]?.id;
  if (transaction !== undefined) found.transaction = transaction;
  if (pair !== undefined) found.notification = pair.id;
  const waiting = (read.open ?? []).find((payment) => payment !== null && open.includes(payment.id));
  if (waiting) found.openTransaction = waiting.id;
  return found;
}

/** The names of records for users. */
export const recordNames: Record<RecordName, string> = {
  transaction: "Transaction id",
  openTransaction: "Id of a transaction that is not paid yet",
  notification: "Notification id",
};
