// When to subscribe again, and with which variables. Each client of this package uses a Resumption.

import { pauseFor } from './delay.js';
import { isRetryable, isUnauthenticated, retryAfterMs } from './errors.js';
import { isTemporary } from './http.js';
import { Reached, recordOf } from './record.js';
import type { Live, Result } from './result.js';

/** What an event says about the subscription. A router drops `extensions`, but not the field `live` of the data. */
export const factsOf = (result: Result): Live | null | undefined => result.extensions?.live ?? recordOf(result)?.live;

/**
 * Whether a result is the last one. Subscribe again when a stream ended without such a result. Behind a router that drops
 * `extensions`, compare the status with `until` too.
 */
export const isLast = (result: Result): boolean =>
  factsOf(result)?.final ?? (recordOf(result) == null && !isTemporary(result)); // rejected, or failed

/** The variables to reconnect with: with the time of the last change as `since`, no status is missed. */
export function resumed<Variables>(variables: Variables, result: Result): Variables {
  const updatedAt: unknown = recordOf(result)?.updatedAt;
  return typeof updatedAt === 'string' ? { ...variables, since: updatedAt } : variables;
}

/** What to do with a result: pass it on, pass it on and end the subscription, or discard it and subscribe again. */
export type Step = 'next' | 'last' | 'resubscribe';

/** Milliseconds after which a connection counts as stable: the longest delay. */
const stableAfter = 10_000;

/** A subscription over all of its connections. */
export class Resumption<Variables> {
  /** The variables of the next connection. */
  variables: Variables;

  #began = Date.now(); // the start of this connection
  #retries = 0; // since a stable connection
  #retryAfter = 0;
  #reached = new Reached();
  #rejected = false; // whether the last event was about the token
  #renewed = -Infinity; // the time of the last renewal of the token

  constructor(variables: Variables) {
    this.variables = variables;
  }

  /** Takes a result, and returns what to do with it. */
  take(result: Result): Step {
    const live = factsOf(result);
    const record = recordOf(result);
    const rejected = (isUnauthenticated(result) && result.data !== undefined) || (live?.reason === 'FAILED' && !live.final);
    if (rejected && !this.#rejected && this.rejectToken()) {
      this.#rejected = true;
      return 'resubscribe';
    }
    this.#rejected = rejected; // also with a new token
    this.#retryAfter = live || record ? 0 : retryAfterMs(result);
    let last = isLast(result) || live?.reason === 'FAILED';
    // Rejected temporarily, such as by a full gateway. With `data`, the stream that could not read the record continues.
    if (!live && !record && !last && !(result.data && isRetryable(result))) return 'resubscribe';
    const { until = [], since } = (this.variables ?? {}) as { until?: string | string[] | null; since?: string | null };
    if (!live && record) last = this.#reached.by(record, [until ?? []].flat(), since);
    this.variables = resumed(this.variables, result);
    return last ? 'last' : 'next';
  }

  /** Records that the token was rejected. Reports whether to reconnect with a new token: not if it was the new one. */
  rejectToken(): boolean {
    const renews = this.#isStable() || Date.now() - this.#renewed > 3 * stableAfter;
    if (renews) this.#renewed = Date.now();
    return renews;
  }

  /** Milliseconds before the next connection, after an error or without one. */
  pause(error?: unknown): number {
    if (this.#isStable()) this.#retries = 0;
    const pause = pauseFor(this.#retries++, Math.max(this.#retryAfter, retryAfterMs(error)));
    this.#retryAfter = 0;
    this.#began = Date.now() + pause;
    return pause;
  }

  /** Whether the connection has been open long enough. */
  #isStable(): boolean {
    return Date.now() - this.#began > stableAfter;
  }
}
