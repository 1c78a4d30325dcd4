// The recipes of docs/live.md. The test of Relay is in relay.test.js, which has its compiler.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { ApolloClient, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { startGateway } from './gateway.js';
import { comeBack } from './recipes/live-apollo.js';
import * as sse from './recipes/live-sse.js';
import * as urql from './recipes/live-urql.js';
import { events } from './recipes/live.js';
import { testStreams, watchPayment } from './streams.js';

testStreams('fetch', ({ url, fetch: send, variables, next, end }) => {
  const control = new AbortController();
  (async () => {
    for await (const result of events(url, { query: watchPayment, variables }, { send, signal: control.signal })) next(result);
  })().then(() => end(), (error) => end(error));
  return () => control.abort();
});

testStreams('graphql-sse', ({ url, fetch: send, variables, next, end }) => {
  const client = sse.newClient(url, send);
  return sse.watch(client, { query: watchPayment, variables }, { next, error: end, complete: () => end() });
});

testStreams('Apollo Client', ({ url, fetch: send, variables, next, end }) => {
  const client = new ApolloClient({ link: comeBack().concat(new HttpLink({ uri: url, fetch: send })), cache: new InMemoryCache() });
  const subscription = client.subscribe({ query: gql(watchPayment), variables, fetchPolicy: 'no-cache', errorPolicy: 'all' }).subscribe({
    next: ({ data, error, extensions }) => next({ data, errors: error?.errors, extensions }),
    error: end,
    complete: () => end(),
  });
  return () => subscription.unsubscribe();
});

testStreams('urql', ({ url, fetch: send, variables, next, end }) => {
  const client = new Client({ url, exchanges: [fetchExchange], fetchSubscriptions: true, preferGetMethod: false, fetch: send });
  return urql.watch(client, watchPayment, variables, ({ data, error, extensions }) => {
    next({ data, errors: error?.graphQLErrors, extensions });
    if (extensions?.live?.final ?? true) end();
  });
});

describe('streams', () => {
  let gateway;
  before(async () => { gateway = await startGateway(); });
  after(() => gateway.stop());

  test('curl prints events', async () => {
    const { openTransaction } = await gateway.samples();
    const query = `subscription { transaction(id: "${openTransaction}", until: [PAID]) { status } }`;
    const curl = spawn('curl', ['--silent', '--no-buffer', gateway.url, '--json', JSON.stringify({ query }),
      '-H', `Authorization: Bearer ${gateway.token}`, '-H', 'Accept: text/event-stream']);
    let out = '';
    curl.stdout.setEncoding('utf8').on('data', (text) => { out += text; });
    const [code] = await once(curl, 'close');
    assert.equal(code, 0);
    assert.match(out, /event: next\ndata: {"data":{"transaction":{"status":"PAID"}},"extensions":{"live":{"reason":"REACHED".*\n\nevent: complete\ndata:\n\n$/);
  });

  test('graphql-sse runs queries too', async () => {
    const client = sse.newClient(gateway.url, (url, init) => (
      fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${gateway.token}` } })));
    const results = [];
    for await (const result of client.iterate({ query: '{ deposits(perPage: 2) { nodes { id } } }' })) results.push(result);
    assert.deepEqual(results.map(({ data }) => data.deposits.nodes.length), [2]);
  });
});
