/** A number whose digits a JavaScript number cannot hold. JSON.stringify writes them unchanged. */
interface RawNumber {
  readonly rawJSON: string;
}

// Part of ECMAScript since 2025. Older browsers round the numbers.
const json = JSON as typeof JSON & { rawJSON?: (text: string) => RawNumber; isRawJSON?: (value: unknown) => value is RawNumber };

/** Parses JSON. A number that JavaScript would round or write differently keeps its digits. */
export function parseExact(text: string): unknown {
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown);
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined || json.rawJSON === undefined || String(value) === source) return value;
  return json.rawJSON(source);
}

/** Whether a value of parseExact is an object. A number that keeps its digits is not an object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && json.isRawJSON?.(value) !== true;
}

/** The digits of a number of parseExact; null for another value. */
export function digitsOf(value: unknown): string | null {
  if (typeof value === "number") return String(value);
  return json.isRawJSON?.(value) === true ? value.rawJSON : null;
}
