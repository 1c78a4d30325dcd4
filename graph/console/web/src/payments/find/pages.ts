import type { GraphQLFormattedError } from "graphql";
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
): Promise<Page<Row>> {
  const { kind, filter, selection, fragments = "" } = list;
  const query = `query ($filter: ${filters[kind]}, $page: Int, $perPage: Int) {
    list: ${kind}(filter: $filter, page: $page, perPage: $perPage) { nodes { ${selection} } totalCount totalPages }
  } ${fragments}`;
  const variables = { filter, ...(config.pageNumber && { page }), ...(config.pageSize && { perPage: size }) };
  const { data, errors, requestId } = await gateway.ask<{ list: Page<Row> | null }>(query, variables, signal);
  return data?.list ?? fail(errors[0], requestId);
}

/** Throws the error of a field that has no data. */
export function fail(error: GraphQLFormattedError | undefined, requestId: string | null): never {
  throw new Failure(error?.message ?? "no data", String(error?.extensions?.["code"] ?? "UNKNOWN"), requestId);
}
