// pixgraph-client/errors reads the errors of each client: of a response with parts, of a refused request, of a lost connection.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApolloClient, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { GraphQLClient } from 'graphql-request';
import { createClient as createSSE } from 'graphql-sse';
import { createClient as createWebSocket } from 'graphql-ws';
import { withToken } from 'pixgraph-client';
import { codeOf, errorsOf, isRetryable, partsOf, upstreamStatus } from 'pixgraph-client/errors';
import { fetchFunction } from 'pixgraph-client/relay';
import relay from 'relay-runtime';
import WebSocket from 'ws';
import { useGateway } from './suite.js';

const { Environment, Network, RecordSource, Store } = relay;
const text = '{ deposits(first: 1) { totalCount } withdrawals { totalCount } }';
const refused = '{ colour }';

/** The first result of a client of subscriptions, or its error. */
const first = (client, query) => new Promise((next, error) => { client.subscribe({ query }, { next, error, complete() {} }); });

/** Each client runs an operation with a token, and returns its result, or throws. */
const clients = {
  fetch: async (url, token, query) => (await fetch(url, {
    method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: JSON.stringify({ query }),
  })).json(),
  'Apollo Client': (url, token, query) => new ApolloClient({
    link: new HttpLink({ uri: url, headers: { authorization: `Bearer ${token}` } }), cache: new InMemoryCache(),
  }).query({ query: gql(query), errorPolicy: 'all' }),
  'graphql-request': (url, token, query) => new GraphQLClient(url, { headers: { authorization: `Bearer ${token}` } }).request(query)
    .catch((error) => { throw error.response?.data ? Object.assign(error, { partial: error.response }) : error; }),
  urql: (url, token, query) => new Client({
    url, exchanges: [fetchExchange], preferGetMethod: false, fetchOptions: { headers: { authorization: `Bearer ${token}` } },
  }).query(query, {}).toPromise(),
  'graphql-sse': (url, token, query) => first(createSSE({ url, headers: { authorization: `Bearer ${token}` }, retryAttempts: 0 }), query),
  'graphql-ws': (url, token, query) => first(createWebSocket({
    url: url.replace('http', 'ws'), webSocketImpl: WebSocket, connectionParams: { authorization: `Bearer ${token}` }, retryAttempts: 0, lazyCloseTimeout: 0,
  }), query),
};

describe('errors', () => {
  const gateway = useGateway();

  for (const [name, run] of Object.entries(clients)) {
    /** What a client returns or throws: a response that has errors is not thrown by each of them. */
    const outcome = (...args) => run(gateway.url, ...args).catch((error) => error);

    test(`${name}: of a part of a response`, async () => {
      await gateway.fault({ route: 'withdrawal', status: 429 });
      const thrown = await outcome(gateway.token, text);
      const result = thrown.partial ?? thrown;
      const { data, problems } = partsOf(result);
      assert.ok(data.deposits.totalCount > 0);
      assert.equal(data.withdrawals, null);
      assert.deepEqual(problems, { withdrawals: 'RATE_LIMITED' });
      const error = result.error ?? result;
      assert.deepEqual([codeOf(error), isRetryable(error), upstreamStatus(error)], ['RATE_LIMITED', true, 429]);
      assert.deepEqual(errorsOf(error)[0].path, ['withdrawals']);
    });

    test(`${name}: of a refused document`, async () => {
      const { error = await outcome(gateway.token, refused) } = await outcome(gateway.token, refused);
      assert.deepEqual([codeOf(error), isRetryable(error)], ['GRAPHQL_VALIDATION_FAILED', false]);
      assert.throws(() => partsOf({ error }), { name: 'GatewayError' });
    });

    if (name.startsWith('graphql-s') || name.startsWith('graphql-w')) continue; // they report the status, or the close code
    test(`${name}: of a refused token`, async () => {
      const { error = await outcome('no.such.token', text) } = await outcome('no.such.token', text);
      assert.deepEqual([codeOf(error), isRetryable(error)], ['UNAUTHENTICATED', false]);
    });
  }

  test('of a lost connection are not the gateway\'s', async () => {
    for (const run of Object.values(clients)) {
      const { error = new Error() } = await run('http://127.0.0.1:9/graphql', 'token', text).catch((thrown) => ({ error: thrown }));
      assert.deepEqual([errorsOf(error), codeOf(error)], [[], undefined]);
    }
  });

  test('Relay: of a refused request', async () => {
    const network = Network.create(fetchFunction(gateway.url, withToken(async () => gateway.token)));
    const environment = new Environment({ network, store: new Store(new RecordSource()) });
    const params = { text: refused, id: null, cacheID: 'a', name: 'Refused', operationKind: 'query', metadata: {} };
    const selected = { name: 'Refused', argumentDefinitions: [], selections: [] };
    const request = {
      kind: 'Request', fragment: { kind: 'Fragment', ...selected, type: 'Query' }, operation: { kind: 'Operation', ...selected }, params,
    };
    await assert.rejects(relay.fetchQuery(environment, request, {}).toPromise(), (error) => codeOf(error) === 'GRAPHQL_VALIDATION_FAILED');
  });
});
