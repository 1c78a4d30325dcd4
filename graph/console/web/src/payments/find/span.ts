import type { Days } from "../route.ts";
import { addDays, dayOf, spanOf } from "../zone.ts";

/** The days that are searched by reading: today and yesterday, the last seven, or one. */
export type Span = { choice: "recent" | "week" } | { choice: "day"; day: string };

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
    case "day":
      return { from: span.day, to: span.day };
  }
}

const minute = 60_000;

/**
 * Where the deposit of an EndToEndId can be, the likeliest first. It is created before it is paid, for example with a QR
 * code. A refund can be months later than its deposit.
 */
export function rangesAround(instant: Date, refund: boolean): Range[] {
  const days = untilDay(dayOf(instant));
  if (refund) return [days];
  const at = (minutes: number) => new Date(instant.getTime() + minutes * minute).toISOString();
  return [{ startDate: at(-30), endDate: at(5), days: null }, days];
}

/** The day that a person says a payment was paid, and the day before, on which it can have been created. */
export function untilDay(day: string): Range {
  return rangeOf({ from: addDays(day, -1), to: day });
}

/** The seven days before a range. */
export function before({ days, startDate }: Range): Range {
  const first = days?.from ?? dayOf(new Date(startDate));
  return rangeOf({ from: addDays(first, -7), to: addDays(first, -1) });
}
