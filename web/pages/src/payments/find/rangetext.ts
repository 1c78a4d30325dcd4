import { daysText, written } from "../parts/moment.tsx";
import { zone } from "../zone.ts";
import type { Range } from "./span.ts";

/** A range as people write it, such as "25–26 November 2026"; one that is not of whole days with its times. */
export function rangeText({ startDate, endDate, days }: Range, locale: string): string {
  if (days !== null) return daysText(days, locale);
  const format = new Intl.DateTimeFormat(locale, {
    timeZone: zone, day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23",
  });
  return written(format.formatRange(new Date(startDate), new Date(endDate)), locale);
}

/** A day, or the days from it to another one. */
export function dayOrDays(day: string, until: string | undefined, locale: string): string {
  return daysText({ from: day, to: until ?? day }, locale);
}
