import { isInstant } from "../base/format.ts";

/** A time with an offset as a datetime-local input shows it, in the reader's zone; null for another text. */
export function localOf(text: string): string | null {
  const time = new Date(text);
  return isInstant(text) && !Number.isNaN(time.getTime()) ? wallClock(time) : null;
}

/**
 * The time of a datetime-local input with the offset that the reader's zone has at that time; null for another text. A
 * time that a change of the clock skips becomes the one that the browser takes it for.
 */
export function withOffset(local: string): string | null {
  const time = new Date(local);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(local) || Number.isNaN(time.getTime())) return null;
  const minutes = -Math.round(time.getTimezoneOffset());
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${wallClock(time)}${minutes < 0 ? "-" : "+"}${digits(hours, 2)}:${digits(rest, 2)}`;
}

/** The date and time in the reader's zone, with milliseconds only if they are not zero. */
function wallClock(time: Date): string {
  const date = [digits(time.getFullYear(), 4), digits(time.getMonth() + 1, 2), digits(time.getDate(), 2)].join("-");
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => digits(part, 2)).join(":");
  const millis = time.getMilliseconds();
  return `${date}T${clock}${millis === 0 ? "" : `.${digits(millis, 3)}`}`;
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, "0");
}
