import type { Days } from "../route.ts";
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

/** Days as people write them. */
export function daysText({ from, to }: Days, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" });
  return written(format.formatRange(new Date(`${from}T00:00:00Z`), new Date(`${to}T00:00:00Z`)), locale);
}

/** A day, or the days from it to another one. */
export function dayOrDays(day: string, until: string | undefined, locale: string): string {
  return daysText({ from: day, to: until ?? day }, locale);
}

/** In Portuguese the browser has a dash where people write words. */
function written(range: string, locale: string): string {
  return locale === "pt-BR" ? range.replace(/ (\d\d:\d\d)\s*–\s*(\d\d:\d\d)$/, ", das $1 às $2").replace(/\s*–\s*/, " a ") : range;
}
