// Subscriptions over SSE with graphql-sse.

import { type Client, type ClientOptions, createClient } from 'graphql-sse';
import { delay, sleep } from './delay.js';
import { isTransient } from './http.js';
import type { Fetch } from './result.js';
import { resuming } from './subscriptions.js';

/**
 * A client of graphql-sse whose subscriptions resume for as long as they last. It connects again by itself, because a
 * stream that is not over ends without `complete`.
 *
 * @param url of GraphQL
 * @param send such as `withToken(renew, noticingSilence())`
 * @param options further ones of graphql-sse
 */
export function newClient(url: string, send: Fetch = fetch, options: Partial<ClientOptions> = {}): Client {
  let fatal: unknown; // such as that the token cannot be renewed
  return resuming(createClient({
    url,
    retryAttempts: Infinity,
    async retry(retries) {
      if (fatal) throw fatal;
      await sleep(delay(retries));
    },
    async fetchFn(input: string, init: RequestInit) {
      try {
        fatal = undefined;
        return await send(input, init);
      } catch (error) {
        if (!init.signal?.aborted && !isTransient(error)) fatal = error;
        throw error;
      }
    },
    ...options,
  }));
}
