import type { GraphQLFormattedError } from "graphql";
import { Failure, type Gateway } from "../gateway.ts";
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
  return !Number.isNaN(Date.parse(text));
}

/** Finds a deposit, which cannot be read by its id, among those of its second. */
export async function findDeposit(gateway: Gateway, id: string, createdAt: string, signal: AbortSignal): Promise<Searched> {
  if (!isTime(createdAt)) return { record: null, errors: [], read: 0, unread: 0 };
  const at = Date.parse(createdAt);
  const filter = { startDate: new Date(at - 1000).toISOString(), endDate: new Date(at + 1000).toISOString() };
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
