import type { GraphQLFormattedError } from "graphql";
import type { Config } from "../../base/config.ts";
import type { DepositRow, WithdrawalRow } from "../rows/rowdata.ts";
import { parseExact } from "../../base/exact.ts";
import { Failure, type Gateway } from "../gateway.ts";
import { readPage, type Page } from "../pages.ts";
import { linesOf, patiently } from "./lines.ts";
import { pageSize, rowsOf, statusOf, sumsQuery, sumsVariables, type ListRoute } from "./query.ts";
import type { Summary } from "./totals.ts";

/** What the parts of the view of a list get. */
export interface View {
  config: Config;
  gateway: Gateway;
  route: ListRoute;
}

/** The days of a list, whatever the status of its records is. */
export function daysKey({ kind, days, dayOf, createdBefore }: ListRoute): string {
  return JSON.stringify([kind, days.from, days.to, dayOf, createdBefore]);
}

/** What the sums and the files of a list depend on: not on the page of its rows. */
export function sumsKey(route: ListRoute): string {
  return JSON.stringify([daysKey(route), statusOf(route)]);
}

export interface Sums {
  summary: Summary;
  /** What the gateway says about a page that could not be read; null without one. */
  problem: string | null;
  requestId: string | null;
}

/** How far sums are, as the gateway says. */
export interface Progress {
  pages: number;
  /** Null if the API does not count them. */
  of?: number;
  records: number;
  total?: number;
  /** Why the next page could not be read, if it is read again. */
  waiting?: { code: string };
}

/** Reads the sums, from all pages of the list. If the connection breaks, they are read again. */
export function readSums(gateway: Pick<Gateway, "open">, route: ListRoute, signal: AbortSignal, tell: (progress: Progress | null) => void): Promise<Sums> {
  const last: Progress = { pages: 0, records: 0 };
  const read = async (): Promise<Sums> => {
    const { body, requestId } = await gateway.open(sumsQuery(route.kind), sumsVariables(route), "application/x-ndjson; progress=1", signal);
    const groups: Summary["groups"] = [];
    for await (const line of linesOf(body)) {
      const read = parseExact(line) as Summary["groups"][number] & SumLine;
      const { "@progress": progress, "@download": end } = read;
      if (progress !== undefined) tell(Object.assign(last, { waiting: undefined }, progress));
      else if (end === undefined) groups.push(read);
      else if (end.summary !== undefined) return { summary: { ...end.summary, groups }, problem: end.errors?.[0]?.message ?? null, requestId };
      else throw Failure.of(end.errors?.[0], requestId);
    }
    throw new Failure("the connection ended", "BROKEN", requestId);
  };
  tell(null);
  // What the gateway refuses at once is shown at once; it has read again what failed later.
  const again = (error: unknown) => {
    if (!(error instanceof Failure) || error.code !== "BROKEN") throw error;
    return patiently(read, signal, ({ code }) => tell({ ...last, waiting: { code } }));
  };
  return read().catch(again);
}

interface SumLine {
  "@progress"?: Progress;
  "@download"?: { summary?: Omit<Summary, "groups">; errors?: GraphQLFormattedError[] };
}

/** A row, with what a statement has of it. */
export type Row = (DepositRow | WithdrawalRow) & Noted;

interface Noted {
  /** The code by which the client of the API knows it. */
  externalCode: string | null;
  endToEnd: string | null;
  endToEndRefund: string | null;
  /** When it was paid, or a withdrawal was processed. */
  movedAt: string | null;
  refundDate: string | null;
}

export function pageKey(route: ListRoute): string {
  return JSON.stringify([sumsKey(route), route.page]);
}

/** Reads a page of the rows of a list. */
export function readRows(gateway: Gateway, config: Config, route: ListRoute, signal: AbortSignal): Promise<Page<Row>> {
  return readPage<Row>(gateway, config, rowsOf(route), { page: route.page, size: pageSize }, signal);
}

/** Whether a page agrees with the count of its list. That of an API may not. */
export function countsAgree({ nodes, totalCount, currentPage, perPage, pageInfo }: Page<unknown>): boolean {
  if (totalCount === undefined) return false;
  const before = (currentPage - 1) * perPage;
  return nodes.length === Math.max(0, Math.min(perPage, totalCount - before))
    && pageInfo.hasNextPage === before + nodes.length < totalCount;
}
