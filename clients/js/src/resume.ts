// When to subscribe again, and with which variables. Each client of this package uses a Resumption.

import { delay, longest } from './delay.js';
import { isRetryable, isUnauthenticated, retryAfterMs } from './errors.js';
import type { Result } from './result.js';

/** Whether a result is the last one. Subscribe again when a stream ended without such a result. */
export const isLast = (result: Result): boolean =>
  result.extensions?.live?.final ?? (result.data != null || !isRetryable(result)); // that of a query, or a rejection

/** The variables to reconnect with: with the time of the last change as `since`, no status is missed. */
export function resumed<Variables>(variables: Variables, { data }: Result): Variables {
  const [record] = Object.values(data ?? {}) as ({ updatedAt?: unknown } | null)[];
  return typeof record?.updatedAt === 'string' ? { ...variables, since: record.updatedAt } : variables;
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
  #rejected = false; // whether the last event was about the token
  #renewed = -Infinity; // the time of the last renewal of the token

  constructor(variables: Variables) {
    this.variables = variables;
  }

  /** Takes a result, and returns what to do with it. */
  take(result: Result): Step {
    const live = result.extensions?.live;
    if (!live) {
      if (isLast(result)) return 'last';
      this.#retryAfter = retryAfterMs(result);
      return 'resubscribe'; // rejected temporarily, such as by a full gateway
    }
    const rejected = isUnauthenticated(result) || (live.reason === 'FAILED' && !live.final);
    if (rejected && !this.#rejected && this.rejectToken()) {
      this.#rejected = true;
      return 'resubscribe';
    }
    this.#rejected = rejected; // also with a new token
    this.variables = resumed(this.variables, result);
    return live.final || live.reason === 'FAILED' ? 'last' : 'next';
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
    const pause = Math.min(Math.max(delay(this.#retries++), this.#retryAfter, retryAfterMs(error)), longest);
    this.#retryAfter = 0;
    this.#began = Date.now() + pause;
    return pause;
  }

  /** Whether the connection has been open long enough. */
  #isStable(): boolean {
    return Date.now() - this.#began > stableAfter;
  }
}
