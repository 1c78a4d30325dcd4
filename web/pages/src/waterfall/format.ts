import type { Call } from "../trace.ts";

/** "2.1 ms". */
export function duration(micros: number): string {
  if (micros < 1000) return `${Math.round(micros)} µs`;
  if (micros < 1_000_000) return `${significant(micros / 1000)} ms`;
  return `${significant(micros / 1_000_000)} s`;
}

/** "5.1 KB". */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${significant(bytes / 1000)} KB`;
  return `${significant(bytes / 1_000_000)} MB`;
}

function significant(n: number): string {
  return n < 100 ? n.toPrecision(2).replace(/\.0$/, "") : String(Math.round(n));
}

/** The status, or the error of a call without a status. */
export function result(call: Call): string {
  const status = call.status === 0 ? "" : String(call.status);
  return call.outcome === "ok" ? status : `${status} ${call.outcome}`.trim();
}

/** A path in the response, such as "n2.transaction". */
export function place(path: (string | number)[]): string {
  return path.join(".");
}
