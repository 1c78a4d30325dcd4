import type { Call, Trace } from "../base/trace.ts";

/** A call on the time axis. Positions are percentages of the operation's duration. */
export interface Bar {
  call: Call;
  /** Where the wait in the queue begins; equal to at without a wait. */
  waitAt: number;
  at: number;
  width: number;
}

/** The minimum visible width. */
const minWidth = 0.5;

/** Positions the calls on the axis, in the order of their start. */
export function layOut(trace: Trace): Bar[] {
  const span = spanOf(trace);
  const percent = (micros: number) => Math.min(Math.max((100 * micros) / span, 0), 100);
  return trace.calls
    .map((call) => {
      const at = Math.min(percent(call.startMicros), 100 - minWidth);
      const width = Math.max(percent(call.startMicros + call.durationMicros) - at, minWidth);
      return { call, waitAt: Math.min(percent(call.startMicros - call.waitedMicros), at), at, width };
    })
    .sort((a, b) => a.waitAt - b.waitAt || a.at - b.at);
}

/** The end of the axis: of the operation, or of a call that ended later. */
export function spanOf(trace: Trace): number {
  return Math.max(1, trace.durationMicros, ...trace.calls.map((call) => call.startMicros + call.durationMicros));
}

/** At most five round times for the axis, and their positions. */
export function ticks(trace: Trace): { micros: number; at: number }[] {
  const span = spanOf(trace);
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => span / n <= 5) ?? 10 * power;
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, n) => ({ micros: n * step, at: (100 * n * step) / span }));
}
