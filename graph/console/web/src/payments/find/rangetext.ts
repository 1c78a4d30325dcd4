import { zone } from "../zone.ts";
import type { Range } from "./span.ts";

/** A range as people write it, such as "25–26 November 2026"; one that is not of whole days with its times. */
export function rangeText({ startDate, endDate, days }: Range, locale: string): string {
  if (days === null) {
    const format = new Intl.DateTimeFormat(locale, {
      timeZone: zone, day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23",
    });
    return format.formatRange(new Date(startDate), new Date(endDate));
  }
  const format = new Intl.DateTimeFormat(locale, { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" });
  return format.formatRange(new Date(`${days.from}T00:00:00Z`), new Date(`${days.to}T00:00:00Z`));
}
