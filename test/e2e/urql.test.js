// urql: the core that its bindings for React, Vue and Svelte share. graphcache.test.js has partial data, token.test.js refused tokens.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Client, cacheExchange, fetchExchange, gql } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { recordingFetch } from './gateway.js';
import { useGateway } from './suite.js';

describe('urql', () => {
  const gateway = useGateway();
  let sent; // the requests of the last client

  /** A client for the gateway, as in an application; only `fetch` is specific to the test. */
  function newClient(options) {
    const fetch = recordingFetch();
    sent = fetch.requests;
    return new Client({
      url: gateway.url,
      exchanges: [cacheExchange, fetchExchange],
      fetchOptions: () => ({ headers: gateway.headers }),
      fetch,
      ...options,
    });
  }

  const withdrawals = gql`
    query Withdrawals($filter: WithdrawalFilter!) {
      withdrawals(filter: $filter) { totalCount nodes { id amount status pixKey { key type } } }
    }
  `;
  const filter = { status: ['PROCESSED', 'REFUNDED'], minAmount: 100 };

  for (const [name, preferGetMethod] of [['GET', 'force'], ['POST', false]]) {
    test(`runs a query with ${name}`, async () => {
      const { data, error } = await newClient({ preferGetMethod }).query(withdrawals, { filter });
      assert.equal(error, undefined);
      assert.ok(data.withdrawals.nodes.length > 0);
      for (const { amount, status } of data.withdrawals.nodes) {
        assert.ok(amount >= filter.minAmount);
        assert.ok(filter.status.includes(status));
      }
      assert.deepEqual(sent.map(({ method }) => method), [name]);
    });
  }

  test('sends hashes instead of documents', async () => {
    const query = gql`query Persisted { withdrawals(first: 2) { nodes { id amount } } }`;
    const persisting = () => newClient({
      exchanges: [cacheExchange, persistedExchange({ preferGetForPersistedQueries: true }), fetchExchange],
    });

    // The gateway does not know this document yet, so the client sends it.
    const first = await persisting().query(query, {});
    assert.equal(first.error, undefined);
    assert.equal(first.data.withdrawals.nodes.length, 2);
    assert.deepEqual(sent.map(({ url }) => url.searchParams.has('query')), [false, true]);

    // Another client sends only the hash.
    const second = await persisting().query(query, {});
    assert.deepEqual(second.data, first.data);
    assert.deepEqual(sent.map(({ method, url }) => [method, url.searchParams.has('query')]), [['GET', false]]);
  });
});
