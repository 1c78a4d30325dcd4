import type { Config } from "../base/config.ts";
import { Failure, type Answer, type Gateway } from "./gateway.ts";
import type { Kind } from "./route.ts";

/** A page of a list. */
export interface Page<Row> {
  /** A node is null if the record is invalid. */
  nodes: (Row | null)[];
  /** Undefined if the API does not count its records. */
  totalCount?: number;
  currentPage: number;
  perPage: number;
  pageInfo: { hasNextPage: boolean };
}

/** A page, and how many of its records are invalid or have a part that could not be read. */
export interface ReadPage<Row> extends Page<Row> {
  unreadable: number;
}

/** What is read of a list. */
export interface List {
  kind: Kind;
  filter: Record<string, unknown>;
  /** The selection of a record, with the fragments that it uses. */
  selection: string;
  fragments?: string;
}

/** What reads pages. */
export type Reader = Pick<Gateway, "ask" | "uncounted">;

/** The page of a list by its number and size. The gateway rejects arguments for which it has no parameter of the API. */
export interface At {
  page: number;
  size: number;
}

/** The most records of a page that the gateway can request. */
export const largestPage = 100;

const filters: Record<Kind, string> = { deposits: "DepositFilter", withdrawals: "WithdrawalFilter" };

/** The operation that reads a page. */
export function pageQuery({ kind, selection, fragments = "" }: Pick<List, "kind" | "selection" | "fragments">): string {
  return `query ListPage($filter: ${filters[kind]}, $page: Int, $perPage: Int, $counted: Boolean!) {
  list: ${kind}(filter: $filter, page: $page, perPage: $perPage) {
    nodes { ${selection} }
    currentPage perPage pageInfo { hasNextPage } totalCount @include(if: $counted)
  }
}
${fragments}`;
}

/**
 * Reads a page of a list. A gateway that cannot request a page by its number only has the first one, and one that cannot
 * request a size has the API's own. Each first page asks for the count, since it may have been missing once, or in another list.
 */
export async function readPage<Row>(
  reader: Reader, config: Pick<Config, "pageNumber" | "pageSize">, list: List, { page, size }: At, signal?: AbortSignal,
): Promise<ReadPage<Row>> {
  const sized = { ...(config.pageNumber && { page }), ...(config.pageSize && { perPage: size }) };
  const read = (counted: boolean) => reader.ask<{ list: Page<Row> | null }>(pageQuery(list), { filter: list.filter, ...sized, counted }, signal);
  const counted = page === 1 || !reader.uncounted.has(list.kind);
  let answer = await read(counted);
  if (counted && lacksCount(answer)) {
    reader.uncounted.add(list.kind);
    answer = await read(false);
  } else if (counted) reader.uncounted.delete(list.kind);
  const { data, errors, requestId } = answer;
  if (!data?.list) throw Failure.of(errors[0], requestId);
  const invalid = data.list.nodes.flatMap((node, index) => (node === null ? [index] : []));
  return { ...data.list, unreadable: new Set([...invalid, ...errors.map(({ path }) => path?.[2])]).size };
}

/** Whether a list is null because one of its counts is missing: they are not nullable. */
function lacksCount({ errors }: Answer<unknown>): boolean {
  return errors.some(({ path }) => path?.[1] === "totalCount");
}
