import { parseExact } from "../../base/exact.ts";
import type { Gateway } from "../gateway.ts";
import type { Page } from "../pages.ts";
import { instantOfDate, isNoTime } from "../zone.ts";
import { linesOf } from "./lines.ts";
import { dayOfDate } from "./periods.ts";
import { dateField, matchingQuery, pageSize, wideFilterOf, type ListRoute } from "./query.ts";
import type { Row } from "./reading.ts";

/**
 * The records of a list that were paid, processed or refunded on its days. The API cannot select by these dates, so the records
 * of the longer time in which they were created are read, and those of other days are dropped.
 */
export interface Matching {
  /** The newest first. */
  rows: MatchingRow[];
  read: number;
  unreadable: number;
  complete: boolean;
  /** Why not: an IncompleteReason of the schema. */
  reason: string | null;
}

/** A row with the date by which it was selected. */
export type MatchingRow = Row & { date: string | null };

/** The most rows that the page keeps. Their sums and files have no such limit. */
const mostRows = 10_000;

export async function readMatching(gateway: Pick<Gateway, "open">, route: ListRoute, signal: AbortSignal, max = mostRows): Promise<Matching> {
  const query = matchingQuery(route.kind, dateField(route.kind, route.dayOf));
  const { body } = await gateway.open(query, { filter: wideFilterOf(route) }, "application/x-ndjson", signal);
  const { from, to } = route.days;
  const matching: Matching = { rows: [], read: 0, unreadable: 0, complete: false, reason: "PAGE_FAILED" };
  for await (const line of linesOf(body)) {
    const record = parseExact(line) as MatchingRow | { "@download": { complete: boolean; reason: string | null } } | null;
    if (record !== null && "@download" in record) {
      matching.complete = record["@download"].complete;
      matching.reason = record["@download"].reason ?? null;
      break;
    }
    matching.read++;
    if (record === null) matching.unreadable++;
    else if (record.date !== null && !isNoTime(record.date)) {
      const day = dayOfDate(record.date);
      if (day === null) matching.unreadable++;
      else if (day >= from && day <= to && matching.rows.push(record) > max) {
        matching.rows.pop();
        matching.reason = "TOO_MANY";
        break;
      }
    }
  }
  const timeOf = ({ date }: MatchingRow) => instantOfDate(date ?? "")?.getTime() ?? 0;
  matching.rows.sort((a, b) => timeOf(b) - timeOf(a));
  return matching;
}

/** A page of what was selected, as if the API had returned it. */
export function pageOf({ rows }: Matching, page: number): Page<Row> {
  const nodes = rows.slice((page - 1) * pageSize, page * pageSize);
  return { nodes, totalCount: rows.length, currentPage: page, perPage: pageSize, pageInfo: { hasNextPage: page * pageSize < rows.length } };
}
