/** extensions.trace of a response: the upstream calls of the gateway. Times are microseconds. */
export interface Trace {
  durationMicros: number;
  gatewayMicros: number;
  calls: Call[];
}

export interface Call {
  service: string;
  route: string;
  /** 0 without a response. */
  status: number;
  /** "ok", or the code of an error. */
  outcome: string;
  bytes: number;
  encodedBytes: number;
  startMicros: number;
  durationMicros: number;
  waitedMicros: number;
  /** 1, or more for a retry; 0 if it was coalesced. */
  attempt: number;
  /** No request was made: the response of the same call of another operation was shared. */
  coalesced: boolean;
  /** The paths in the response that requested this call. */
  fields: (string | number)[][];
  /** How many loads shared the call beyond the first. */
  joined: number;
}

/** extensions.cost of an answer. */
export interface Cost {
  upstreamCalls: number;
  max: number;
}

/** The cost of an operation: null if the gateway did not report it, as for a stream. */
export interface Spent {
  operationName: string | null;
  streams: boolean;
  trace: Trace | null;
  cost: Cost | null;
}

export const traceHeader = "X-Pixgraph-Trace";
export const costHeader = "X-Pixgraph-Cost";
