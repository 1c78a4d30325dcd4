// Networks that are lost without a word.

import { readThrough } from './body.js';
import { reasonOf } from './delay.js';
import type { Fetch } from './result.js';

/**
 * Returns a `fetch` whose requests for streams fail with a TypeError, as those of a lost connection do, when they are
 * silent. Other requests are not affected.
 *
 * @param send the `fetch` to use
 * @param longest milliseconds; the gateway sends a heartbeat every 15 seconds
 */
export function noticingSilence(send: Fetch = fetch, longest = 40_000): Fetch {
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
      let silent = false;
      const timer = setTimeout(() => {
        silent = true;
        control.abort();
      }, longest);
      try {
        return await wait();
      } catch (error) {
        throw silent ? new TypeError('the connection is silent') : error;
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
