import type { Days } from "../route.ts";
import { addDays, dayOf, firstOfMonth, lastMonthOf, spanOf } from "../zone.ts";

/** The days that are searched by reading: today and yesterday, the last seven, a month, one day, or from one to another. */
export type Span = { choice: "recent" | "week" | "month" | "lastMonth" } | { choice: "day"; day: string } | { choice: "range"; days: Days };

export const defaultSpan: Span = { choice: "recent" };

/** A range of time that is read. The days are those of whole days, and null for a part of one. */
export interface Range {
  startDate: string;
  endDate: string;
  days: Days | null;
}

export function rangeOf(days: Days): Range {
  return { ...spanOf(days), days };
}

/** The days of a span. */
export function daysOf(span: Span, now: Date): Days {
  const today = dayOf(now);
  switch (span.choice) {
    case "recent":
      return { from: addDays(today, -1), to: today };
    case "week":
      return { from: addDays(today, -6), to: today };
    case "month":
      return { from: firstOfMonth(today), to: today };
    case "lastMonth":
      return lastMonthOf(today);
    case "day":
      return { from: span.day, to: span.day };
    case "range":
      return span.days;
  }
}

const minute = 60_000;

/** The minute of an EndToEndId is that of the order: a payment may be settled, and its deposit be created, so many minutes later. */
const settled = 12 * 60;

/**
 * Where the deposit of an EndToEndId can be, the likeliest first. With a QR code it is created before it is paid, otherwise
 * when it is settled. A refund can be months later than its deposit.
 */
export function rangesAround(instant: Date, refund: boolean): Range[] {
  const at = (minutes: number) => new Date(instant.getTime() + minutes * minute);
  const days = rangeOf({ from: addDays(dayOf(instant), -1), to: dayOf(at(settled)) });
  if (refund) return [days];
  return [{ startDate: at(-30).toISOString(), endDate: at(5).toISOString(), days: null }, days];
}

/** The day that a person says a payment was paid, and the day before, on which it can have been created. */
export function untilDay(day: string): Range {
  return rangeOf({ from: addDays(day, -1), to: day });
}

/** Where a search can go on. */
export type Way = "earlier" | "later";

/** The seven days before or after those that were searched, up to today; null if no days are left. */
export function besides({ from, to }: Days, way: Way, now: Date): Days | null {
  if (way === "earlier") return { from: addDays(from, -7), to: addDays(from, -1) };
  const [today, last] = [dayOf(now), addDays(to, 7)];
  return to < today ? { from: addDays(to, 1), to: last < today ? last : today } : null;
}

/** The days from the first to the last of ranges of whole days; null without one. */
export function hullOf(ranges: readonly Range[]): Days | null {
  const days = ranges.flatMap(({ days }) => (days === null ? [] : [days.from, days.to])).sort();
  const [from, to] = [days[0], days.at(-1)];
  return from === undefined || to === undefined ? null : { from, to };
}
