// Apollo Client 4. `newClient` is what an application needs; the tests show what the client guarantees.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { recordingFetch, startGateway } from './gateway.js';

describe('Apollo Client', () => {
  let gateway;
  let sent; // the requests of the last client
  before(async () => { gateway = await startGateway(); });
  after(() => gateway.stop());
  afterEach(() => gateway.heal());

  /** A client for the gateway; the given links precede the HTTP link. */
  function newClient(...links) {
    const fetch = recordingFetch();
    sent = fetch.requests;
    const http = new HttpLink({ uri: gateway.url, headers: { authorization: `Bearer ${gateway.token}` }, fetch });
    return new ApolloClient({
      link: ApolloLink.from([...links, http]),
      cache: new InMemoryCache({
        typePolicies: {
          Query: {
            fields: {
              // A single record is the record that a list has returned: it need not be fetched again.
              transaction: { read: (_, { args, toReference }) => toReference({ __typename: 'Transaction', id: args.id }) },
            },
          },
        },
      }),
    });
  }

  const deposits = gql`
    query Deposits($first: Int!) {
      deposits(first: $first) { totalCount nodes { id amount status payer { name } } }
    }
  `;

  test('runs a query with variables', async () => {
    const { data, error } = await newClient().query({ query: deposits, variables: { first: 3 } });
    assert.equal(error, undefined);
    assert.equal(data.deposits.nodes.length, 3);
    assert.ok(data.deposits.totalCount > 3);
    for (const deposit of data.deposits.nodes) {
      assert.equal(deposit.__typename, 'Deposit');
      assert.ok(Number.isSafeInteger(deposit.amount));
    }
  });

  const page = gql`
    query Page($id: ID!) {
      deposits(first: 50) { nodes { id } }
      transaction(id: $id) { id amount }
    }
  `;

  test('returns partial data and the errors with errorPolicy all', async () => {
    const [{ id }] = await gateway.transactions(1);
    await gateway.fault({ route: 'transaction', status: 503 });
    const client = newClient();
    const { data, error } = await client.query({ query: page, variables: { id }, errorPolicy: 'all' });
    assert.equal(data.deposits.nodes.length, 50);
    assert.equal(data.transaction, null);
    assert.ok(CombinedGraphQLErrors.is(error));
    assert.equal(error.errors.length, 1);
    assert.deepEqual(error.errors[0].path, ['transaction']);
    const { code, service, upstreamStatus, retryable } = error.errors[0].extensions;
    assert.deepEqual({ code, service, upstreamStatus, retryable },
      { code: 'UPSTREAM_ERROR', service: 'core', upstreamStatus: 503, retryable: true });
  });

  test('rejects a partial response with errorPolicy none, its default', async () => {
    const [{ id }] = await gateway.transactions(1);
    await gateway.fault({ route: 'transaction', status: 503 });
    await assert.rejects(newClient().query({ query: page, variables: { id } }), (error) => {
      assert.ok(CombinedGraphQLErrors.is(error));
      assert.equal(error.errors[0].extensions.code, 'UPSTREAM_ERROR');
      return true;
    });
  });

  test('reports the code of a refused document', async () => {
    const query = gql`{ deposits { nodes { colour } } }`;
    await assert.rejects(newClient().query({ query }), (error) => {
      assert.ok(CombinedGraphQLErrors.is(error));
      assert.equal(error.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
      return true;
    });
  });

  test('reads a record of a list from its cache', async () => {
    const ids = (await gateway.transactions(3)).map(({ id }) => id);
    const client = newClient();
    const list = gql`query List($ids: [ID!]!) { transactions(ids: $ids) { id amount statusRaw } }`;
    const { data: { transactions } } = await client.query({ query: list, variables: { ids } });
    await gateway.forgetCalls();

    const one = gql`query One($id: ID!) { transaction(id: $id) { id amount } }`;
    const { data: { transaction } } = await client.query({ query: one, variables: { id: ids[1] } });
    assert.equal(transaction.amount, transactions[1].amount);
    assert.equal(sent.length, 1, 'only the request of the list');
    assert.deepEqual(await gateway.calls(), []);
  });

  test('keeps a deposit and the transaction with the same id separate', async () => {
    const [{ id }] = await gateway.transactions(1);
    const client = newClient();
    await client.query({ query: page, variables: { id } });
    const cached = client.cache.extract();
    assert.deepEqual(cached[`Deposit:${id}`], { __typename: 'Deposit', id });
    assert.equal(cached[`Transaction:${id}`].__typename, 'Transaction');
    assert.ok(Number.isSafeInteger(cached[`Transaction:${id}`].amount));
  });

  test('sends hashes instead of documents, with GET', async () => {
    const sha256 = (text) => createHash('sha256').update(text).digest('hex');
    const query = gql`query Persisted($first: Int!) { deposits(first: $first) { nodes { id } } }`;
    const ask = (client) => client.query({ query, variables: { first: 2 } });
    const hashes = () => new PersistedQueryLink({ sha256, useGETForHashedQueries: true });

    // The first client: the gateway does not know this document yet, so the client sends it.
    const first = await ask(newClient(hashes()));
    assert.equal(first.data.deposits.nodes.length, 2);
    assert.deepEqual(sent.map(({ method }) => method), ['GET', 'POST']);
    const { sha256Hash } = JSON.parse(sent[0].url.searchParams.get('extensions')).persistedQuery;
    assert.equal(sent[0].url.searchParams.get('query'), null);
    assert.equal(sha256Hash, sha256(sent[1].body.query));

    // Further clients send only the hash.
    const second = await ask(newClient(hashes()));
    assert.deepEqual(second.data, first.data);
    assert.deepEqual(sent.map(({ method }) => method), ['GET']);
    assert.equal(sent[0].url.searchParams.get('query'), null);
  });
});
