// Subscriptions over a WebSocket with graphql-ws.

import { type Client, type ClientOptions, createClient } from 'graphql-ws';
import { delay, sleep } from './delay.js';
import { isTransient } from './http.js';
import { renewed } from './renewal.js';
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
  let connected = false;
  let rejections = 0; // of tokens by the gateway, one after another
  let pinged: ReturnType<typeof setTimeout>;
  const client = createClient({
    url,
    async connectionParams() {
      fatal = false;
      try {
        token ??= await renewed(renew);
      } catch (error) {
        fatal = !isTransient(error);
        throw error;
      }
      return { Authorization: `Bearer ${token}` };
    },
    keepAlive: silence,
    retryAttempts: Infinity,
    retryWait: (retries) => sleep(delay(retries)),
    // Also when no gateway accepts the connection, but not for variables that JSON lacks: that loop would have no pause.
    shouldRetry: (failure) => !fatal && !(failure instanceof TypeError),
    ...options,
  });
  client.on('ping', (received) => {
    if (!received) pinged = setTimeout(() => client.terminate(), silence);
  });
  client.on('pong', (received) => {
    if (received) clearTimeout(pinged);
  });
  client.on('connected', () => {
    connected = true;
    rejections = 0;
  });
  client.on('closed', (event) => {
    clearTimeout(pinged);
    connected = false;
    if (!isRejection(event)) return;
    token = undefined;
    fatal = ++rejections > 1; // also the new token
  });
  return resuming(client, {
    onRejected() {
      const rejected = token;
      return () => {
        if (token !== rejected) return; // another subscription has discarded it
        token = undefined;
        if (connected) client.terminate();
      };
    },
    isRejectedBy: (error) => isRejection(error) && !fatal,
  });
}

/** Whether the gateway closed the connection because the token is invalid (4401) or has expired (4403). */
const isRejection = (event: unknown): boolean => [4401, 4403].includes((event as CloseEvent).code);
