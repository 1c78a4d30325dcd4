import { Identifier } from "../parts/identifier.tsx";
import { timeText } from "../parts/moment.tsx";
import { rows } from "../words/rows.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { dayOf, instantOfDate, isNoTime, wallTime } from "../zone.ts";
import type { DepositRow, WithdrawalRow } from "./rowdata.ts";

/** When a payment was paid, and its EndToEndId: what tells payments of the same amount and person apart. */
export function PaidLine({ row }: { row: DepositRow | WithdrawalRow }) {
  const words = useWords(rows);
  const locale = useLocale();
  // A search selects the payer of withdrawals too, so that it does not tell the kinds apart.
  const [date, atTime, onDay] = "paymentDate" in row
    ? [row.paymentDate, words.paidAt, words.paidOn]
    : [row.processedDate, words.processedAt, words.processedOn];
  const at = date !== null && isNoTime(date) ? null : date;
  if (at === null && row.endToEnd === null) return null;
  return (
    <div className="fine row-paid">
      {at !== null && <time dateTime={at} title={at}>{isSameDay(at, row.createdAt) ? atTime(timeOf(at)) : onDay(timeText(at, locale, true))}</time>}
      {row.endToEnd !== null && <Identifier id={row.endToEnd} what={words.endToEnd} />}
    </div>
  );
}

/** The row has the day of creation. */
function isSameDay(at: string, other: string): boolean {
  const [day, otherDay] = [at, other].map(instantOfDate).map((instant) => instant && dayOf(instant));
  return day !== null && day === otherDay;
}

function timeOf(at: string): string {
  const instant = instantOfDate(at);
  return instant === null ? at : wallTime(instant).slice(11);
}
