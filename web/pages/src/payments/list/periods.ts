/** The periods that a list offers, and shorter ones that a period can be split into. */

import { isDay, type Days } from "../route.ts";
import { addDays, dayOf, firstOfMonth, instantOfDate, lastMonthOf, weekOf } from "../zone.ts";

export const periodNames = ["today", "yesterday", "thisWeek", "lastWeek", "thisMonth", "lastMonth"] as const;

export type PeriodName = (typeof periodNames)[number];

/** The first day that a user can choose: Pix began in this month. */
export const firstDay = "2020-11-01";

/** Each period as seen from a day. One that contains the day ends with it. */
export function periodsOf(today: string): Record<PeriodName, Days> {
  const yesterday = addDays(today, -1);
  const monday = weekOf(today).from;
  return {
    today: { from: today, to: today },
    yesterday: { from: yesterday, to: yesterday },
    thisWeek: { from: monday, to: today },
    lastWeek: { from: addDays(monday, -7), to: addDays(monday, -1) },
    thisMonth: { from: firstOfMonth(today), to: today },
    lastMonth: lastMonthOf(today),
  };
}

/** Why a date is not accepted. */
export type Refusal = "future" | "early" | "incomplete";

/** Why a date cannot be chosen; null if it can. A browser has no value for one that is not whole, and 0020 for a year that is typed. */
export function refusalOf(value: string, max: string): Refusal | null {
  if (!isDay(value) || value.startsWith("0")) return "incomplete";
  if (value > max) return "future";
  return value < firstDay ? "early" : null;
}

export function sameDays(a: Days, b: Days): boolean {
  return a.from === b.from && a.to === b.to;
}

/** The day of a date of a record; null for one whose instant is not known. */
export function dayOfDate(date: string): string | null {
  const instant = instantOfDate(date);
  return instant === null ? null : dayOf(instant);
}

/** How many days a period has. */
export function lengthOf({ from, to }: Days): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000) + 1;
}

/** A period of more days is split into its months, and one of more months into its years. */
const mostDays = 31;
const mostMonths = 24;

/** The days, months or years of a period, the newest first: together they are the period. A single day has no parts. */
export function partsOf(days: Days): Days[] {
  const length = lengthOf(days);
  if (length < 2) return [];
  const first = (day: string) => length <= mostDays ? day : length <= mostMonths * 30 ? firstOfMonth(day) : `${day.slice(0, 4)}-01-01`;
  const parts: Days[] = [];
  for (let to = days.to; to >= days.from && parts.length < mostParts; to = addDays(parts.at(-1)?.from ?? to, -1)) {
    const from = first(to);
    parts.push({ from: from < days.from ? days.from : from, to });
  }
  return parts;
}

/** A link may have a period of thousands of years. */
const mostParts = 100;

/** A day of a table, such as "Mon, 23 Nov". */
export function shortDay(day: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { timeZone: "UTC", weekday: "short", day: "2-digit", month: "short" }).format(new Date(`${day}T00:00:00Z`));
}
