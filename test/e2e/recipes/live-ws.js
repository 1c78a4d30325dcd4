import { createClient } from 'graphql-ws';
import { resuming } from './live-resuming.js';
import { delay } from './live.js';

/** The client. `renew` returns a new token. A gateway that does not answer a ping for `silence` milliseconds is lost. */
export function newClient(url, renew, { silence = 15_000, ...options } = {}) {
  let token;
  let pinged;
  const client = createClient({
    url,
    connectionParams: async () => {
      token ??= await renew();
      return { Authorization: `Bearer ${token}` };
    },
    keepAlive: silence,
    retryAttempts: 10, // in a row
    retryWait: (retries) => new Promise((resolve) => setTimeout(resolve, delay(retries))),
    shouldRetry: () => true, // also when no gateway accepts the connection
    on: {
      ping: (received) => {
        if (!received) pinged = setTimeout(() => client.terminate(), silence);
      },
      pong: (received) => received && clearTimeout(pinged),
      closed: ({ code }) => {
        clearTimeout(pinged);
        if (code === 4403) token = undefined; // it has expired
      },
    },
    ...options,
  });
  return resuming(client);
}
