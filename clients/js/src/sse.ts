// Subscriptions over SSE with graphql-sse.

import { type Client, type ClientOptions, createClient } from 'graphql-sse';
import { pauseFor, sleep } from './delay.js';
import { retryAfterMs } from './errors.js';
import { isStream, isTransient, resultOf } from './http.js';
import type { Fetch, Result } from './result.js';
import { resuming } from './subscriptions.js';

/**
 * A client of graphql-sse whose subscriptions resume for as long as they last. It connects again by itself, because a
 * stream that is not over ends without `complete`.
 *
 * @param url of GraphQL
 * @param send such as `withToken(renew, withIdleTimeout())`
 * @param options further ones of graphql-sse
 */
export function newClient(url: string, send: Fetch = fetch, options: Partial<ClientOptions> = {}): Client {
  let failure: unknown; // of the request for which `retry` is called next
  return resuming(createClient({
    url,
    retryAttempts: Infinity,
    async retry(retries) {
      const error = failure;
      queueMicrotask(() => { failure = undefined; }); // others may have failed with it: all that waited for a token
      if (error && !isTransient(error)) throw error; // such as that the token cannot be renewed
      await sleep(pauseFor(retries, retryAfterMs(error)));
    },
    async fetchFn(input: string, init: RequestInit) {
      try {
        const response = await send(input, init);
        // A rejection by the gateway becomes an event: graphql-sse reports no body of a response that is not a stream.
        return isStream(response) ? response : eventOf(await resultOf(response));
      } catch (error) {
        if (!init.signal?.aborted) failure = error;
        throw error;
      }
    },
    ...options,
  }));
}

const eventOf = (result: Result): Response => new Response(
  `event: next\ndata: ${JSON.stringify(result)}\n\n`, { headers: { 'content-type': 'text/event-stream' } },
);
