// urql: the core that its bindings for React, Vue and Svelte share.

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
  function newClient({ token = gateway.token, exchanges = [cacheExchange, fetchExchange], ...options } = {}) {
    const fetch = recordingFetch();
    sent = fetch.requests;
    return new Client({
      url: gateway.url,
      exchanges,
      fetchOptions: () => ({ headers: { authorization: `Bearer ${token}` } }),
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

  test('reads the same query from its cache', async () => {
    const client = newClient();
    const first = await client.query(withdrawals, { filter });
    await gateway.forgetCalls();
    const second = await client.query(withdrawals, { filter });
    assert.equal(second.data, first.data);
    assert.equal(sent.length, 1);
    assert.deepEqual(await gateway.calls(), []);
  });

  test('returns partial data with the errors', async () => {
    await gateway.fault({ route: 'deposit', status: 500 });
    const query = gql`{ withdrawals(first: 1) { nodes { id } } deposits(first: 1) { nodes { id } } }`;
    const { data, error } = await newClient().query(query, {});
    assert.equal(data.withdrawals.nodes.length, 1);
    assert.equal(data.deposits, null);
    assert.equal(error.networkError, undefined);
    assert.equal(error.graphQLErrors.length, 1);
    assert.deepEqual(error.graphQLErrors[0].path, ['deposits']);
    assert.equal(error.graphQLErrors[0].extensions.code, 'UPSTREAM_ERROR');
  });

  test('reports the code of a refused token', async () => {
    const { data, error } = await newClient({ token: 'no.such.token' }).query(withdrawals, { filter });
    assert.equal(data, undefined);
    assert.equal(error.response.status, 401);
    assert.equal(error.graphQLErrors[0].extensions.code, 'UNAUTHENTICATED');
  });

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
