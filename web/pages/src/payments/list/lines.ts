/** Files of the gateway as they arrive, and patience with what fails for a while. */

import { Failure, pause, type Opened } from "../gateway.ts";

/** The lines of a body as they arrive. The connection ends when the caller needs no more. A broken one is a Failure. */
export async function* linesOf(body: Opened["body"]): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let begun = "";
  const read = () => reader.read().catch((error: Error) => {
    throw error.name === "AbortError" ? error : new Failure(error.message, "BROKEN", null);
  });
  try {
    for (let part = await read(); !part.done; part = await read()) {
      const lines = (begun + decoder.decode(part.value, { stream: true })).split("\n");
      begun = lines.pop() ?? "";
      yield* lines.filter((line) => line !== "");
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The codes of what may work a moment later. */
const passing: ReadonlySet<string> = new Set([
  "BROKEN", "NO_RESPONSE", "UPSTREAM_TIMEOUT", "UPSTREAM_UNAVAILABLE", "UPSTREAM_ERROR", "RATE_LIMITED", "OVERLOADED",
]);

/** Repeats what fails and may work later, after 1, 2, 4 seconds and so on, for a minute in all. `waiting` is called with each failure. */
export async function patiently<Value>(act: () => Promise<Value>, signal: AbortSignal, waiting: (failure: Failure) => void): Promise<Value> {
  let left = 60;
  for (let seconds = 1; ; seconds *= 2) {
    try {
      return await act();
    } catch (error) {
      if (signal.aborted || left === 0 || !(error instanceof Failure) || !passing.has(error.code)) throw error;
      waiting(error);
      const next = Math.min(seconds, left);
      left -= next;
      await pause(next, signal);
    }
  }
}
