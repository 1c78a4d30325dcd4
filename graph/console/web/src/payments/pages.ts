import type { Config } from "../config.ts";
import { Failure, type Answer, type Gateway } from "./gateway.ts";
import type { Kind } from "./route.ts";

/** A page of a list. */
export interface Page<Row> {
  /** A node is null if the record is invalid. */
  nodes: (Row | null)[];
  /** Undefined if the API does not count its records. */
  totalCount?: number;
  totalPages?: number;
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

/** What reads pages: `counted` becomes false if the API does not count its records. */
export type Reader = Pick<Gateway, "ask" | "counted">;

/** The page of a list by its number and size. The gateway rejects arguments for which it has no parameter of the API. */
export interface At {
  page: number;
  size: number;
}

/** The most records of a page that the gateway can request. */
export const largestPage = 100;

const filters: Record<Kind, string> = { deposits: "DepositFilter", withdrawals: "WithdrawalFilter" };

const counts = ["totalCount", "totalPages"];

/** The operation that reads a page. */
export function pageQuery({ kind, selection, fragments = "" }: Pick<List, "kind" | "selection" | "fragments">): string {
  return `query ListPage($filter: ${filters[kind]}, $page: Int, $perPage: Int, $counted: Boolean!) {
  list: ${kind}(filter: $filter, page: $page, perPage: $perPage) {
    nodes { ${selection} }
    currentPage perPage pageInfo { hasNextPage }
    ...Counts @include(if: $counted)
  }
}
fragment Counts on ${kind === "deposits" ? "Deposit" : "Withdrawal"}Connection { ${counts.join(" ")} }
${fragments}`;
}

/**
 * Reads a page of a list. A gateway that cannot request a page by its number only has the first one, and one that cannot
 * request a size has the API's own.
 */
export async function readPage<Row>(
  reader: Reader, config: Pick<Config, "pageNumber" | "pageSize">, list: List, { page, size }: At, signal?: AbortSignal,
): Promise<ReadPage<Row>> {
  const sized = { ...(config.pageNumber && { page }), ...(config.pageSize && { perPage: size }) };
  const read = (counted: boolean) => reader.ask<{ list: Page<Row> | null }>(pageQuery(list), { filter: list.filter, ...sized, counted }, signal);
  const { counted } = reader;
  let answer = await read(counted);
  if (counted && lacksCounts(answer)) {
    reader.counted = false;
    answer = await read(false);
  }
  const { data, errors, requestId } = answer;
  if (!data?.list) throw Failure.of(errors[0], requestId);
  const invalid = data.list.nodes.flatMap((node, index) => (node === null ? [index] : []));
  return { ...data.list, unreadable: new Set([...invalid, ...errors.map(({ path }) => path?.[2])]).size };
}

/** Whether a list is null for want of a count, which is not nullable. */
function lacksCounts({ errors }: Answer<unknown>): boolean {
  return errors.some(({ path }) => counts.includes(String(path?.[1])));
}
