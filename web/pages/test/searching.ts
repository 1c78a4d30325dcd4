/** A search over a made-up gateway, for the tests of Search. */

import type { Config } from "../src/base/config.ts";
import type { Answer } from "../src/payments/gateway.ts";
import { Search } from "../src/payments/find/search.ts";
import type { Route } from "../src/payments/route.ts";

export const uuid = "f2dc7925-3b96-4b1f-a7ad-3351051ce9fc";
const now = new Date("2026-11-26T12:00:00Z");
const config = { trace: false, schema: false, pageNumber: true, pageSize: true, links: true, maxCost: 1100, fees: "unknown", operations: [] } as Config;

type Variables = Record<string, unknown> & { filter?: Record<string, unknown>; page?: number };
type Respond = (query: string, variables: Variables) => Partial<Answer<unknown>> | Promise<Partial<Answer<unknown>>>;

/** A search over a gateway that answers with what a function makes of an operation; it records the operations and what is opened. */
export function searchOf(respond: Respond, change: Partial<Config> = {}) {
  const asked: { query: string; variables: Variables; signal: AbortSignal | undefined }[] = [];
  const opened: Route[] = [];
  const ask = async <Data>(query: string, variables: Variables, signal?: AbortSignal) => {
    asked.push({ query, variables, signal });
    const answer = { data: {}, errors: [], requestId: "r", ...(await respond(query, variables)) };
    signal?.throwIfAborted();
    return answer as Answer<Data>;
  };
  const search = new Search({ ask, uncounted: new Set() }, { ...config, ...change }, (route) => opened.push(route), () => now);
  return { search, asked, opened };
}

export function deposit(id: string, change: object = {}) {
  return {
    id, createdAt: "2026-11-26T10:00:00Z", amount: 5170, amountPaid: null, statusRaw: "PAID", payer: null, receiver: null, endToEnd: null,
    endToEndRefund: null, externalCode: null, ...change,
  };
}

/** A page of a list of `pages` pages. */
export function page(nodes: unknown[], pages = 1, number = 1) {
  return { data: { list: { nodes, totalCount: nodes.length * pages, pageInfo: { hasNextPage: number < pages } } } };
}

export const isDeposits = (query: string) => query.includes("list: deposits");
export const notFound = (...paths: string[]) => paths.map((path) => ({ message: "", path: [path], extensions: { code: "NOT_FOUND" } }));
