import { digitsOf } from "./exact.ts";

// Without an offset a time is in an unknown zone, and cannot be converted.
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

/** Whether a text is a date and time with an offset. */
export function isInstant(text: string): boolean {
  return instant.test(text);
}

const clock = new Intl.DateTimeFormat(undefined, {
  year: "numeric", month: "short", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short",
});

/** A date and time with an offset in the reader's time zone and language; null for another value. */
export function localTime(value: unknown): string | null {
  if (typeof value !== "string" || !instant.test(value)) return null;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? null : clock.format(time);
}

const units = [["d", 86_400_000n], ["h", 3_600_000n], ["min", 60_000n]] as const;

/** A number of milliseconds with all of its digits, such as "2 min 5.123 s"; null for another value. */
export function timeSpan(millis: unknown): string | null {
  const digits = digitsOf(millis);
  const parts = /^(\d+)(?:\.(\d+))?$/.exec(digits ?? "");
  if (digits === null || parts === null) return digits && `${digits} ms`;
  let rest = BigInt(parts[1] ?? 0);
  const words: string[] = [];
  for (const [unit, size] of units) {
    if (rest >= size) words.push(`${rest / size} ${unit}`);
    rest %= size;
  }
  const fraction = `${String(rest % 1000n).padStart(3, "0")}${parts[2] ?? ""}`.replace(/0+$/, "");
  if (rest >= 1000n || fraction !== "" || words.length === 0) words.push(`${rest / 1000n}${fraction && `.${fraction}`} s`);
  return words.join(" ");
}

/** "2.1 ms". */
export function duration(micros: number): string {
  if (micros < 1000) return `${Math.round(micros)} µs`;
  if (micros < 1_000_000) return `${significant(micros / 1000)} ms`;
  return `${significant(micros / 1_000_000)} s`;
}

/** "5.1 KB", or "5,1 KB". */
export function size(bytes: number, locale?: string): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${significant(bytes / 1000, locale)} KB`;
  return `${significant(bytes / 1_000_000, locale)} MB`;
}

function significant(n: number, locale = "en"): string {
  return (n < 100 ? Number(n.toPrecision(2)) : Math.round(n)).toLocaleString(locale, { useGrouping: false });
}
