import { digitsOf } from "../../base/exact.ts";
import { plainText } from "../../base/money.ts";
import type { DepositRow, WithdrawalRow } from "../rows/rowdata.ts";
import { cellOf, fileOfRows } from "../list/excel.ts";
import { instantOfDate, wallTime } from "../zone.ts";

/** The words of a file, in the language of the page. */
export interface Columns {
  /** Created, paid, status, name, amount, EndToEndId, id. */
  head: string[];
  statuses: Readonly<Record<string, string>>;
}

/** The payments that were found as a file for Excel in Portuguese, in the form of the gateway's. */
export function fileOf(rows: readonly (DepositRow | WithdrawalRow)[], { head, statuses }: Columns): string {
  const lines = rows.map((row) => {
    const [party, paid] = "paymentDate" in row ? [row.payer, row.paymentDate] : [row.receiver, row.processedDate];
    return [
      timeOf(row.createdAt), timeOf(paid), cellOf(statuses[row.statusRaw] ?? row.statusRaw), cellOf(party?.name), plainText(digitsOf(row.amount)),
      cellOf(row.endToEnd), cellOf(row.id),
    ];
  });
  return fileOfRows(head, lines);
}

/** A time as Excel reads it; one without an instant as it is. */
function timeOf(date: string | null): string {
  const instant = instantOfDate(date ?? "");
  if (instant === null) return cellOf(date);
  const [, year, month, day, time] = /^(\d+)-(\d\d)-(\d\d)T(.*)$/.exec(wallTime(instant)) ?? [];
  return `${day}/${month}/${year} ${time}`;
}
