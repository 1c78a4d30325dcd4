// Subscriptions over a WebSocket with graphql-ws.

import { type Client, type ClientOptions, createClient } from 'graphql-ws';
import { delay, sleep } from './delay.js';
import { isTransient } from './http.js';
import { resuming } from './subscriptions.js';

/** Options of graphql-ws, and `silence`: the milliseconds between pings, and for which a pong may take. */
export interface WebSocketOptions extends Partial<Omit<ClientOptions, 'url' | 'connectionParams'>> {
  silence?: number;
}

/**
 * A client of graphql-ws whose subscriptions resume for as long as they last. It asks for a new token when the token
 * has expired, and ends a connection whose gateway does not answer a ping.
 *
 * @param url such as wss://pix.example.com/graphql
 * @param renew returns a new token
 */
export function newClient(
  url: string, renew: () => Promise<string>, { silence = 15_000, ...options }: WebSocketOptions = {},
): Client {
  let token: string | undefined;
  let fatal = false;
  let pinged: ReturnType<typeof setTimeout>;
  const client = createClient({
    url,
    async connectionParams() {
      fatal = false;
      try {
        token ??= await renew();
      } catch (error) {
        fatal = !isTransient(error);
        throw error;
      }
      return { Authorization: `Bearer ${token}` };
    },
    keepAlive: silence,
    retryAttempts: Infinity,
    retryWait: (retries) => sleep(delay(retries)),
    shouldRetry: () => !fatal, // also when no gateway accepts the connection
    ...options,
  });
  client.on('ping', (received) => {
    if (!received) pinged = setTimeout(() => client.terminate(), silence);
  });
  client.on('pong', (received) => {
    if (received) clearTimeout(pinged);
  });
  client.on('closed', (event) => {
    clearTimeout(pinged);
    if ((event as CloseEvent).code === 4403) token = undefined; // it has expired
  });
  return resuming(client, () => {
    token = undefined; // an API has refused it
    client.terminate();
  });
}
