import type { Config } from "../../base/config.ts";
import type { DepositRow, WithdrawalRow } from "../rows/rowdata.ts";
import type { Gateway } from "../gateway.ts";
import { readPage, type Page } from "../pages.ts";
import { pageSize, rowsOf, statusOf, type ListRoute } from "./query.ts";

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
