import type { GraphQLFormattedError } from "graphql";
import { Failure, type Gateway } from "../gateway.ts";
import { instantOfDate } from "../zone.ts";
import { depositsDocument, type Deposit } from "./documents.ts";

/** A record, and the errors of its parts. */
export interface Found<Value> {
  record: Value;
  errors: GraphQLFormattedError[];
}

/** Reads one record, by a document whose only field has this name. Throws a Failure without the record. */
export async function readRecord<Value>(gateway: Gateway, query: string, field: string, id: string, signal: AbortSignal): Promise<Found<Value>> {
  const { data, errors, requestId } = await gateway.ask<Record<string, Value | null>>(query, { id }, signal);
  const record = data?.[field];
  if (!record) throw Failure.of(errors[0], requestId);
  return { record, errors };
}

interface Deposits {
  deposits: { nodes: (Deposit | null)[]; pageInfo: { hasNextPage: boolean } } | null;
}

/** The pages that are read for a deposit: those of one second, in which there are rarely more than a page. */
const mostPages = 5;

/** What is known of a deposit after the deposits of its time were read. */
export interface Searched {
  record: Deposit | null;
  errors: GraphQLFormattedError[];
  read: number;
  unread: number;
}

/** Whether a link has the time of its deposit: programs that show links cut them. */
export function isTime(text: string): boolean {
  return filterOf(text) !== null;
}

/** The filter for deposits of a second. A time without an offset may be of any time zone, of which the farthest is 14 hours away. */
function filterOf(createdAt: string): { startDate: string; endDate: string } | null {
  const instant = instantOfDate(createdAt);
  const at = (instant ?? instantOfDate(`${createdAt}Z`))?.getTime();
  if (at === undefined) return null;
  const margin = 1000 + (instant === null ? 14 * 3_600_000 : 0);
  return { startDate: new Date(at - margin).toISOString(), endDate: new Date(at + margin).toISOString() };
}

/** Finds a deposit, which cannot be read by its id, among those of its second. */
export async function findDeposit(gateway: Pick<Gateway, "ask">, id: string, createdAt: string, signal: AbortSignal): Promise<Searched> {
  const filter = filterOf(createdAt);
  if (filter === null) return { record: null, errors: [], read: 0, unread: 0 };
  let read = 0;
  let unread = 0;
  for (let page = 1; page <= mostPages; page++) {
    const { data, errors, requestId } = await gateway.ask<Deposits>(depositsDocument, { filter, page: page === 1 ? null : page }, signal);
    if (!data?.deposits) throw Failure.of(errors[0], requestId);
    const { nodes, pageInfo } = data.deposits;
    read += nodes.length;
    unread += nodes.filter((node) => node === null).length;
    const index = nodes.findIndex((node) => node?.id === id);
    if (index >= 0) return { record: nodes[index] ?? null, errors: errors.filter(({ path }) => path?.[2] === index), read, unread };
    if (!pageInfo.hasNextPage) break;
  }
  return { record: null, errors: [], read, unread };
}
