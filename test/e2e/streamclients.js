// Clients that subscribe, each as docs/live.md says. streams.js has what is expected of all of them.

import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ApolloClient, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client } from '@urql/core';
import { events, isLast, withIdleTimeout, withToken } from 'pixgraph-client';
import { resumingLink } from 'pixgraph-client/apollo';
import * as sse from 'pixgraph-client/sse';
import { subscriptions } from 'pixgraph-client/urql';
import * as ws from 'pixgraph-client/ws';
import WebSocket from 'ws';

globalThis.WebSocket ??= WebSocket; // Node has it from version 22 on

export const watchPayment = `subscription Payment($id: ID!, $until: [TransactionStatus!], $since: DateTime) {
  transaction(id: $id, until: $until, since: $since) { id status updatedAt }
}`;

/** The fetch of a client. `renew` returns a new token; a connection that is silent for so many milliseconds is lost. */
export const fetchOf = ({ renew, silence }) => withToken(renew, withIdleTimeout(fetch, silence));

const webSocketOf = ({ url, renew, silence }) => (
  ws.newClient(url.replace('http', 'ws'), renew, { silence: silence / 2 }));

/**
 * Each client has its protocol, and a function that subscribes to watchPayment through `url` with `variables`. It calls
 * `next` with `{ data, errors, extensions }` of each result and `end` at the end, and returns a function that stops it.
 */
export const clients = {
  fetch: {
    protocol: 'sse',
    watch({ url, variables, next, end, ...options }) {
      const control = new AbortController();
      (async () => {
        const all = events(url, { query: watchPayment, variables }, { fetch: fetchOf(options), signal: control.signal });
        for await (const result of all) next(result);
      })().then(() => end(), end);
      return () => control.abort();
    },
  },
  'graphql-sse': { protocol: 'sse', watch: (options) => watchWith(sse.newClient(options.url, fetchOf(options)), options) },
  'graphql-ws': { protocol: 'websocket', watch: (options) => watchWith(webSocketOf(options), options) },
  'Apollo Client over multipart': {
    protocol: 'multipart',
    watch: (options) => watchWithApollo(resumingLink().concat(new HttpLink({ uri: options.url, fetch: fetchOf(options) })), options),
  },
  'Apollo Client over WebSocket': {
    protocol: 'websocket', watch: (options) => watchWithApollo(new GraphQLWsLink(webSocketOf(options)), options),
  },
  'urql over SSE': { protocol: 'sse', watch: (options) => watchWithURQL(sse.newClient(options.url, fetchOf(options)), options) },
  'urql over WebSocket': { protocol: 'websocket', watch: (options) => watchWithURQL(webSocketOf(options), options) },
  // It reports that a token is refused, and does not ask for another one; and it prints what other clients handle.
  curl: { protocol: 'sse', raw: true, watch: watchWithCurl },
};

function watchWith(client, { variables, next, end }) {
  const refused = (errors) => (Array.isArray(errors) ? (next({ errors }), end()) : end(errors));
  return client.subscribe({ query: watchPayment, variables }, { next, error: refused, complete: () => end() });
}

function watchWithApollo(link, { variables, next, end }) {
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  const all = client.subscribe({ query: gql(watchPayment), variables, fetchPolicy: 'no-cache', errorPolicy: 'all' });
  const subscription = all.subscribe({
    next: ({ data, error, extensions }) => next({ data, errors: error?.errors, extensions }),
    error: end,
    complete: () => end(),
  });
  return () => subscription.unsubscribe();
}

function watchWithURQL(source, { url, variables, next, end }) {
  const client = new Client({ url, exchanges: [subscriptions(source)], preferGetMethod: false });
  const subscription = client.subscription(watchPayment, variables).subscribe(({ data, error, extensions, hasNext }) => {
    const result = { data, errors: error?.graphQLErrors, extensions };
    if (hasNext) next(result); // otherwise the result is the one before
    if (!hasNext || isLast(result)) end(error?.networkError);
  });
  return () => subscription.unsubscribe();
}

/** Runs recipes/live.sh, which gets its tokens from a server. */
function watchWithCurl({ url, renew, silence, variables: { id, until }, next, end }) {
  const tokens = createServer(async (_, response) => response.end(await renew())).listen(0, '127.0.0.1', () => {
    script = spawn(fileURLToPath(new URL('recipes/live.sh', import.meta.url)), [url, id, until.join('","')], {
      env: { PATH: process.env.PATH, TOKEN_COMMAND: `curl -s http://127.0.0.1:${tokens.address().port}`, SILENCE: String(silence / 1000) },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true, // a process group of its own, to which curl belongs
    });
    createInterface(script.stdout).on('line', (line) => line.startsWith('data: ') && next(JSON.parse(line.slice(6))));
    script.on('close', (code, signal) => {
      tokens.close();
      end(code === 0 || signal ? undefined : new Error(`curl failed, and the script with ${code}`));
    });
  });
  let script;
  return () => process.kill(-script.pid);
}
