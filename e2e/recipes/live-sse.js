import { createClient } from 'graphql-sse';
import { delay, resumed } from './live.js';

/** The client. It comes back by itself, because a stream that is not over ends without `complete`. */
export const newClient = (url, send) => createClient({
  url,
  fetchFn: send,
  retryAttempts: 10, // in a row
  retry: (retries) => new Promise((resolve) => setTimeout(resolve, delay(retries))),
});

/** Subscribes. The client sends the request again as it is then, so the variables in it are kept current. */
export function watch(client, { query, variables }, sink) {
  const request = { query, variables };
  return client.subscribe(request, {
    ...sink,
    next(result) {
      request.variables = resumed(request.variables, result);
      sink.next(result);
    },
  });
}
