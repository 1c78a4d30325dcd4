import type { Config } from "../../config.ts";
import { Failure, type Gateway } from "../gateway.ts";
import type { Kind } from "../route.ts";

/** A page of a list. */
export interface Page<Row> {
  /** A node is null if the record is invalid. */
  nodes: (Row | null)[];
  totalCount: number;
  totalPages: number;
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

const filters: Record<Kind, string> = { deposits: "DepositFilter", withdrawals: "WithdrawalFilter" };

export const pageSize = 100;

/**
 * Reads a page of a list. A gateway that cannot request a page by its number only has the first one, and one that cannot
 * request a size has the API's own.
 */
export async function readPage<Row>(
  gateway: Pick<Gateway, "ask">, config: Pick<Config, "pageNumber" | "pageSize">, list: List, page: number, size = pageSize, signal?: AbortSignal,
): Promise<ReadPage<Row>> {
  const { kind, filter, selection, fragments = "" } = list;
  const query = `query ($filter: ${filters[kind]}, $page: Int, $perPage: Int) {
    list: ${kind}(filter: $filter, page: $page, perPage: $perPage) { nodes { ${selection} } totalCount totalPages }
  } ${fragments}`;
  const variables = { filter, ...(config.pageNumber && { page }), ...(config.pageSize && { perPage: size }) };
  const { data, errors, requestId } = await gateway.ask<{ list: Page<Row> | null }>(query, variables, signal);
  if (!data?.list) throw Failure.of(errors[0], requestId);
  const invalid = data.list.nodes.flatMap((node, index) => (node === null ? [index] : []));
  return { ...data.list, unreadable: new Set([...invalid, ...errors.map(({ path }) => path?.[2])]).size };
}
