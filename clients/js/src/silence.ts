// Networks that are lost without a word.

import { readThrough } from './body.js';
import { reasonOf } from './delay.js';
import { isStream } from './http.js';
import type { Fetch } from './result.js';

/**
 * Returns a `fetch` whose streams fail with a TypeError, as those of a lost connection do, when they are silent. Other
 * requests are not affected.
 *
 * @param send the `fetch` to use
 * @param longest milliseconds; the gateway sends a heartbeat every 15 seconds
 */
export function noticingSilence(send: Fetch = fetch, longest = 40_000): Fetch {
  return async (input, init = {}) => {
    if (!subscribes.test(new Headers(init.headers).get('accept') ?? '')) return send(input, init);

    const control = new AbortController();
    const abort = () => control.abort(reasonOf(init.signal)); // without AbortSignal.any, which React Native lacks
    if (init.signal?.aborted) abort();
    init.signal?.addEventListener('abort', abort);
    const ended = () => init.signal?.removeEventListener('abort', abort);

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
      return isStream(response) ? readThrough(response, within, ended) : response;
    } catch (error) {
      ended();
      throw error;
    }
  };
}

/** `Accept` of a subscription. That of a query may have a stream after JSON, and its response may take longer. */
const subscribes = /^(text\/event-stream|multipart\/mixed;[^,]*subscriptionSpec)/;
