import { createClient } from 'graphql-sse';
import { resuming } from './live-resuming.js';
import { delay } from './live.js';

/** The client. It connects again by itself, because a stream that is not over ends without `complete`. */
export const newClient = (url, send) => resuming(createClient({
  url,
  fetchFn: send,
  retryAttempts: 10, // in a row
  retry: (retries) => new Promise((resolve) => setTimeout(resolve, delay(retries))),
}));
