import type { Entry } from "../../insight/timeline.ts";

/** The status that says the same as a date of the record. */
const statusOf: Readonly<Record<string, string>> = { PAYMENT_DATE: "PAID", PROCESSED_DATE: "PROCESSED", REFUND_DATE: "REFUNDED" };

/** The entries that are drawn: without the last change, and without dates that a status of the same time says already. */
export function stepsOf(entries: Entry[]): Entry[] {
  const reached = new Set(entries.filter(({ status }) => status).map(({ at, status }) => `${at} ${status}`));
  return entries.filter(({ at, source = "" }) => source !== "UPDATED_AT" && !reached.has(`${at} ${statusOf[source]}`));
}

const units = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]] as const;

/** Milliseconds in at most two units, such as "2 min 5 s"; null for none, and for a text that is no number. */
export function spanText(millis: string | null, locale: string): string | null {
  const seconds = Math.floor(Number(millis ?? Number.NaN) / 1000);
  if (Number.isNaN(seconds) || Number(millis) <= 0) return null;
  if (seconds === 0) return "< 1 s";
  const largest = units.findIndex(([, size]) => seconds >= size);
  let rest = seconds;
  return units.slice(largest, largest + 2).flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count > 0 ? [`${count.toLocaleString(locale)} ${unit}`] : [];
  }).join(" ");
}
