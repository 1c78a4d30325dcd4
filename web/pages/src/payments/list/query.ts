/** The operations of a list: a page, its sums, and its files. Variables have the filter, as no text of a user may be in documents. */

import { depositRow, withdrawalRow } from "../rows/rowdata.ts";
import type { List } from "../pages.ts";
import type { DayOf, Days, Kind, Route } from "../route.ts";
import { addDays, instantOf, spanOf } from "../zone.ts";
import { withHeaders, type Headers } from "./headers.ts";

export type ListRoute = Extract<Route, { view: "list" }>;

export const statusesOf: Readonly<Record<Kind, readonly string[]>> = {
  deposits: [
    "PAID", "PIX_QRCODE_GENERATED", "DEPOSIT_PIXKEY_GENERATED", "PENDING", "PENDING_COMPLIANCE", "PROCESSING_REFUND", "REFUNDED",
    "PROCESSING_INFRACTION", "INFRACTION", "BLOCKED", "FAILED",
  ],
  withdrawals: ["PROCESSED", "PROCESSING", "PENDING", "PENDING_COMPLIANCE", "REFUNDED", "REJECTED", "CANCELED", "FAILED"],
};

/** How many days before its payment or refund a record may have been created, unless the user chooses more. */
export const defaultBefore = 7;

/** The days between creation and refund or payment that a user can choose. Refunds of Pix are possible for 90 days. */
export const befores = [defaultBefore, 30, 90] as const;

/** The first day on which the records that are read were created. */
export function createdSince({ days, dayOf, createdBefore }: ListRoute): string {
  return dayOf === undefined ? days.from : addDays(days.from, -(createdBefore ?? defaultBefore));
}

/** The days on which the records that are read were created. */
export function createdIn(route: ListRoute): Days {
  return { from: createdSince(route), to: route.days.to };
}

/** The status that a list is filtered by. One that the API does not have is no condition: the API would reject it. */
export function statusOf({ kind, status }: ListRoute): string | null {
  return status !== null && statusesOf[kind].includes(status) ? status : null;
}

/** The API's filter for the rows of a page. */
export function filterOf(route: ListRoute): Record<string, unknown> {
  const status = statusOf(route);
  return { ...spanOf({ from: createdSince(route), to: route.days.to }), ...(status !== null && { status: [status] }) };
}

/**
 * The API's filter for records of which the days are selected afterwards. It is a second longer at both ends, since the API does
 * not document whether its bounds are inclusive.
 */
export function wideFilterOf(route: ListRoute, { from, to }: Days = createdIn(route)): Record<string, unknown> {
  const before = instantOf(`${from}T00:00:00`).getTime() - 1000;
  const after = instantOf(`${addDays(to, 1)}T00:00:00`).getTime() + 1000;
  return { ...filterOf(route), startDate: new Date(before).toISOString(), endDate: new Date(after).toISOString() };
}

/** The field of a record whose days a list is about. */
export function dateField(kind: Kind, dayOf: DayOf | undefined): string {
  if (dayOf === undefined) return "createdAt";
  if (dayOf === "refund") return "refundDate";
  return kind === "deposits" ? "paymentDate" : "processedDate";
}

/** The values of DepositDate and WithdrawalDate. */
const dates: Readonly<Record<string, string>> = {
  createdAt: "CREATED_AT", paymentDate: "PAYMENT_DATE", processedDate: "PROCESSED_DATE", refundDate: "REFUND_DATE",
};

const typeOf = { deposits: "Deposit", withdrawals: "Withdrawal" } as const;

export const pageSize = 50;

/** The most records of a list that is read at once. A longer one is read in parts, each of which is repeated if it fails. */
export const manyRecords = 10_000;

/** What is shown of each record in addition to its row. */
function noted(kind: Kind): string {
  return `externalCode endToEnd endToEndRefund refundDate movedAt: ${dateField(kind, "payment")}`;
}

/** What is read of a list for its rows. */
export function rowsOf(route: ListRoute): List {
  return { kind: route.kind, filter: filterOf(route), ...rowSelection(route.kind) };
}

/** What is selected of each record. */
export function rowSelection(kind: Kind): { selection: string; fragments: string } {
  const [fragments, name] = kind === "deposits" ? [depositRow, "DepositRow"] : [withdrawalRow, "WithdrawalRow"];
  return { selection: `...${name} ${noted(kind)}`, fragments };
}

/** All rows, as lines of JSON, each with the date by which the page selects them. */
export function matchingQuery(kind: Kind, date: string): string {
  const { selection, fragments } = rowSelection(kind);
  return `query ($filter: ${typeOf[kind]}Filter!) { ${kind}(filter: $filter) { nodes { ${selection} date: ${date} } } }
${fragments}`;
}

export const amountsOf = {
  deposits: "count amount amountPaid refundAmount feeAmount netAmount",
  withdrawals: "count amount amountWithdrawn refundAmount feeAmount",
} as const;

const summaryArguments = "filter: $filter, groupBy: [DAY, STATUS], dayOf: $dayOf, fromDay: $fromDay, toDay: $toDay";

function summaryVariables(kind: Kind): string {
  const type = typeOf[kind];
  return `$filter: ${type}Filter!, $dayOf: ${type}Date!, $fromDay: String!, $toDay: String!`;
}

/** How many records the API counts of a list. */
export function countQuery(kind: Kind): string {
  return `query Count($filter: ${typeOf[kind]}Filter!) { list: ${kind}(filter: $filter) { totalCount } }`;
}

/** The sums by day and status. Both tables are added up from one reading of the list, so that they agree. */
export function sumsQuery(kind: Kind): string {
  const amounts = amountsOf[kind];
  return `query Sums(${summaryVariables(kind)}) {
  summary: ${kind === "deposits" ? "depositSummary" : "withdrawalSummary"}(${summaryArguments}) {
    ${amounts} unreadable pagesRead complete reason
    groups { day statusRaw ${amounts} }
  }
}`;
}

/** The variables of the sums of a list, or of days of it. */
export function sumsVariables(route: ListRoute, part?: Days): Record<string, unknown> {
  const { kind, dayOf } = route;
  const { from, to } = part ?? route.days;
  return { filter: wideFilterOf(route, part), dayOf: dates[dateField(kind, dayOf)], fromDay: from, toDay: to };
}

const party = "{ name document }";

/** All records as a file, with what an accountant needs. */
export function fileQuery(kind: Kind, headers: Headers): string {
  const own = kind === "deposits"
    ? ["id createdAt paymentDate statusRaw amount amountPaid feeAmount", "depositOriginRaw acquirer"]
    : ["id createdAt processedDate statusRaw amount amountWithdrawn feeAmount", "pixKey { key type } acquirer"];
  const type = typeOf[kind];
  const fields = `${own[0]} refundAmount refundDate endToEnd endToEndRefund externalCode payer ${party} receiver ${party} ${own[1]} errorMessage`;
  return `query ${type}s($filter: ${type}Filter!) {
  ${kind}(filter: $filter) { nodes { ${withHeaders(fields, headers)} } }
}`;
}
