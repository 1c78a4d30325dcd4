import { parseExact } from "../../exact.ts";
import { mostPages, type Gateway } from "../gateway.ts";
import type { Page } from "../pages.ts";
import { instantOfDate, isNoTime } from "../zone.ts";
import { failureOf } from "./downloading.ts";
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

/** As many records as sums are made of. */
const maxRead = mostPages * 100;

export async function readMatching(gateway: Gateway, route: ListRoute, signal: AbortSignal, max = maxRead): Promise<Matching> {
  const query = matchingQuery(route.kind, dateField(route.kind, route.dayOf));
  const response = await gateway.send(gateway.endpoint, {
    method: "POST", signal, body: JSON.stringify({ query, variables: { filter: wideFilterOf(route) } }),
    headers: { "Content-Type": "application/json", Accept: "application/x-ndjson" },
  });
  if (!response.ok || response.body === null) throw await failureOf(response);
  const { from, to } = route.days;
  const matching: Matching = { rows: [], read: 0, unreadable: 0, complete: false, reason: "PAGE_FAILED" };
  for await (const line of linesOf(response.body)) {
    const record = parseExact(line) as MatchingRow | { "@download": { complete: boolean; reason: string | null } } | null;
    if (record !== null && "@download" in record) {
      matching.complete = record["@download"].complete;
      matching.reason = record["@download"].reason ?? null;
      break;
    }
    if (matching.read === max) {
      matching.reason = "PAGE_LIMIT";
      break;
    }
    matching.read++;
    if (record === null) matching.unreadable++;
    else if (record.date !== null && !isNoTime(record.date)) {
      const day = dayOfDate(record.date);
      if (day === null) matching.unreadable++;
      else if (day >= from && day <= to) matching.rows.push(record);
    }
  }
  const timeOf = ({ date }: MatchingRow) => instantOfDate(date ?? "")?.getTime() ?? 0;
  matching.rows.sort((a, b) => timeOf(b) - timeOf(a));
  return matching;
}

/** The lines of a body as they arrive. The connection ends when the caller needs no more. */
async function* linesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let begun = "";
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (begun + decoder.decode(part.value, { stream: true })).split("\n");
      begun = lines.pop() ?? "";
      yield* lines.filter((line) => line !== "");
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** A page of what was selected, as if the API had returned it. */
export function pageOf({ rows }: Matching, page: number): Page<Row> {
  const nodes = rows.slice((page - 1) * pageSize, page * pageSize);
  return { nodes, totalCount: rows.length, currentPage: page, perPage: pageSize, pageInfo: { hasNextPage: page * pageSize < rows.length } };
}
