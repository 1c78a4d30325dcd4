/** Days and times as a Brazilian bank states them: in the time zone of Brasília, whatever that of the reader is. */

import { isDay, type Days } from "./route.ts";

export const zone = "America/Sao_Paulo";

const parts = new Intl.DateTimeFormat("en-CA", {
  timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
});

/** The date and time of an instant in the zone, such as 2026-11-23T14:05:09. */
export function wallTime(instant: Date): string {
  const at = Object.fromEntries(parts.formatToParts(instant).map(({ type, value }) => [type, value]));
  return `${at["year"]}-${at["month"]}-${at["day"]}T${at["hour"]}:${at["minute"]}:${at["second"]}`;
}

/** The instant of a date and time in the zone. One that a change of the clocks skips is the instant after it. */
export function instantOf(time: string): Date {
  const utc = Date.parse(`${time}Z`);
  const offset = (instant: number) => Date.parse(`${wallTime(new Date(instant))}Z`) - Math.floor(instant / 1000) * 1000;
  const first = utc - offset(utc);
  const second = utc - offset(first);
  return new Date(offset(second) === offset(first) ? second : Math.max(first, second));
}

/** The day of an instant. */
export function dayOf(instant: Date): string {
  return wallTime(instant).slice(0, 10);
}

const dateAndTime = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|([+-]\d\d):?(\d\d)?)$/i;

/**
 * The instant of a date of a record, in each form of which the gateway knows the day for sums: an offset may lack its colon
 * or its minutes. Null for one without an offset, whose time zone is unknown, and for another text.
 */
export function instantOfDate(date: string): Date | null {
  const [, day = "", time, hours, minutes = "00"] = dateAndTime.exec(date) ?? [];
  const instant = new Date(`${day}T${time}${hours === undefined ? "Z" : `${hours}:${minutes}`}`);
  return !isDay(day) || Number.isNaN(instant.getTime()) ? null : instant;
}

/** Whether a date of a record stands for none: 0001-01-01, which programs write for it. */
export function isNoTime(date: string): boolean {
  return /^000[01]-/.test(date);
}

/** Whether a date of a record is before an instant for certain: not without an offset. */
export function isBefore(date: string, instant: number): boolean {
  return (instantOfDate(date)?.getTime() ?? Infinity) < instant;
}

/** A day some days later, or earlier. */
export function addDays(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + count);
  return date.toISOString().slice(0, 10);
}

/** The days from the Monday before to a day. */
export function weekOf(day: string): Days {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return { from: addDays(day, -((weekday + 6) % 7)), to: day };
}

/** The first day of the month of a day. */
export function firstOfMonth(day: string): string {
  return `${day.slice(0, 8)}01`;
}

/** The month before that of a day. */
export function lastMonthOf(day: string): Days {
  const to = addDays(firstOfMonth(day), -1);
  return { from: firstOfMonth(to), to };
}

/** The first and the last instant of days, for filters. */
export function spanOf({ from, to }: Days): { startDate: string; endDate: string } {
  const end = instantOf(`${addDays(to, 1)}T00:00:00`);
  return { startDate: instantOf(`${from}T00:00:00`).toISOString(), endDate: new Date(end.getTime() - 1).toISOString() };
}
