/** extensions.trace of an answer: what the gateway did upstream for it. Times are microseconds. */
export interface Trace {
  durationMicros: number;
  gatewayMicros: number;
  calls: Call[];
}

export interface Call {
  service: string;
  route: string;
  /** 0 where no answer came. */
  status: number;
  /** "ok", or the code of an error. */
  outcome: string;
  bytes: number;
  encodedBytes: number;
  startMicros: number;
  durationMicros: number;
  waitedMicros: number;
  /** 1, or more for a retry; 0 where it was coalesced. */
  attempt: number;
  /** It was not made: the same call was under way for another operation, and was waited for. */
  coalesced: boolean;
  /** The places in the answer that asked for this call. */
  fields: (string | number)[][];
  /** How many asked for it beyond the first. */
  joined: number;
}

/** extensions.cost of an answer. */
export interface Cost {
  upstreamCalls: number;
  max: number;
}

export const traceHeader = "X-Pixgraph-Trace";
export const costHeader = "X-Pixgraph-Cost";
