// Streams on which nothing arrives.

import { readThrough } from './body.js';
import { abortable, reasonOf } from './delay.js';
import type { Fetch } from './result.js';

/**
 * Returns a `fetch` that aborts a stream when nothing arrives for a time, not even a heartbeat. The request or the read
 * then rejects with a TypeError, as for a lost connection. Other requests are not affected.
 *
 * @param send the `fetch` to use
 * @param timeout milliseconds; the gateway sends a heartbeat every 15 seconds
 */
export function withIdleTimeout(send: Fetch = fetch, timeout = 40_000): Fetch {
  return async (input, init = {}) => {
    const given = input instanceof Request ? input : undefined;
    if (!subscribes.test(new Headers(init.headers ?? given?.headers).get('accept') ?? '')) return send(input, init);

    const signal = init.signal ?? given?.signal;
    const control = new AbortController();
    const abort = () => control.abort(reasonOf(signal)); // without AbortSignal.any, which React Native lacks
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    const ended = () => signal?.removeEventListener('abort', abort);

    async function within<T>(wait: () => Promise<T>): Promise<T> {
      let idle = false;
      const timer = setTimeout(() => {
        idle = true;
        control.abort();
      }, timeout);
      try {
        return await abortable(wait(), control.signal); // also if the given `fetch` ignores it
      } catch (error) {
        throw idle ? new TypeError('the connection is idle') : error;
      } finally {
        clearTimeout(timer);
      }
    }

    try {
      const response = await within(() => send(input, { ...init, signal: control.signal }));
      if (response.body) return readThrough(response, within, ended);
      ended();
      return response;
    } catch (error) {
      ended();
      throw error;
    }
  };
}

/** `Accept` of a subscription. That of a query may have a stream after JSON, and its response may take longer. */
const subscribes = /^(text\/event-stream|multipart\/mixed;[^,]*subscriptionSpec)/;
