import type { Call } from "../base/trace.ts";

/** The status, or the error of a call without a status. */
export function result(call: Call): string {
  const status = call.status === 0 ? "" : String(call.status);
  return call.outcome === "ok" ? status : `${status} ${call.outcome}`.trim();
}

/** A path in the response, such as "n2.transaction". */
export function place(path: (string | number)[]): string {
  return path.join(".");
}
