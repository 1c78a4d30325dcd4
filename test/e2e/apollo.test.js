// Apollo Client 4, with the cache of pixgraph-client/apollo; the tests show what the client guarantees.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { relayStylePagination } from '@apollo/client/utilities';
import { typePolicies } from 'pixgraph-client/apollo';
import { recordingFetch } from './gateway.js';
import { useGateway } from './suite.js';

describe('Apollo Client', () => {
  const gateway = useGateway();
  let sent; // the requests of the last client

  /** A client for the gateway; the given links precede the HTTP link. */
  function newClient({ links = [], cache = new InMemoryCache({ typePolicies: typePolicies() }) } = {}) {
    const fetch = recordingFetch();
    sent = fetch.requests;
    const http = new HttpLink({ uri: gateway.url, headers: gateway.headers, fetch });
    return new ApolloClient({
      link: ApolloLink.from([...links, http]),
      cache,
    });
  }

  const scroll = gql`
    query Scroll($first: Int!, $after: String, $filter: DepositFilter) {
      deposits(first: $first, after: $after, filter: $filter) { edges { node { id amount } } pageInfo { hasNextPage endCursor } }
    }
  `;
  const ids = ({ deposits }) => deposits.edges.map(({ node }) => node.id);

  test('joins the pages of first and after into one list', async () => {
    const client = newClient();
    const requests = sent;
    const variables = { first: 3 };
    const { data: { deposits: { pageInfo } } } = await client.query({ query: scroll, variables });
    const list = client.watchQuery({ query: scroll, variables }); // what useQuery does
    await list.fetchMore({ variables: { after: pageInfo.endCursor } });
    const shown = () => client.readQuery({ query: scroll, variables });
    const whole = (await newClient().query({ query: scroll, variables: { first: 6 } })).data;
    assert.deepEqual(ids(shown()), ids(whole));
    assert.notEqual(shown().deposits.pageInfo.endCursor, pageInfo.endCursor);

    // Another size is the same list, without a request.
    const more = await client.query({ query: scroll, variables: { first: 20 } });
    assert.equal(ids(more.data).length, 6);
    assert.equal(requests.length, 2);

    // Another filter is another list.
    const filter = { depositOrigin: ['PIX_KEY'] };
    const filtered = await client.query({ query: scroll, variables: { first: 3, filter } });
    assert.notDeepEqual(ids(filtered.data), ids(whole).slice(0, 3));
    assert.equal(ids(shown()).length, 6);

    // A page that failed leaves the list as it is.
    await gateway.fault({ route: 'deposit', status: 503 });
    await list.fetchMore({ variables: { after: shown().deposits.pageInfo.endCursor }, errorPolicy: 'all' });
    assert.equal(ids(shown()).length, 6);
  });

  const table = gql`
    query Table($page: Int!) { deposits(page: $page, perPage: 5) { currentPage nodes { id } } }
  `;
  /** Pages 1 and 2, and page 1 again. */
  async function turnPages(client) {
    const pages = [];
    for (const page of [1, 2, 1]) pages.push((await client.query({ query: table, variables: { page } })).data.deposits);
    return pages;
  }

  test('keeps the pages of page and perPage apart', async () => {
    const pages = await turnPages(newClient());
    assert.deepEqual(pages.map(({ currentPage }) => currentPage), [1, 2, 1]);
    assert.equal(new Set(pages.flatMap(({ nodes }) => nodes.map(({ id }) => id))).size, 10);
    assert.equal(sent.length, 2, 'the first page is still in the cache');
  });

  test('would show page 1 as page 2 with the usual policy', async () => {
    const deposits = relayStylePagination();
    const pages = await turnPages(newClient({ cache: new InMemoryCache({ typePolicies: { Query: { fields: { deposits } } } }) }));
    assert.deepEqual(pages.map(({ currentPage }) => currentPage), [1, 1, 1]);
  });

  test('requests what failed again', async () => {
    const query = gql`
      query Both($id: ID!) {
        deposits(first: 3) { edges { node { id } } }
        transaction(id: $id) { id amount }
      }
    `;
    const [{ id, amount }] = await gateway.transactions(1);
    await gateway.fault({ service: 'core', status: 503 });
    const client = newClient();
    const ask = () => client.query({ query, variables: { id }, errorPolicy: 'all' });
    const failed = await ask();
    assert.deepEqual(failed.data, { deposits: null, transaction: null });
    assert.deepEqual(failed.error.errors.map(({ extensions }) => extensions.code), ['UPSTREAM_ERROR', 'UPSTREAM_ERROR']);
    await gateway.heal();
    const { data } = await ask();
    assert.equal(ids(data).length, 3);
    assert.equal(data.transaction.amount, amount);
  });

  test('keeps the null of a nested field that failed, until the network is asked', async () => {
    const ids = (await gateway.transactions(6)).map(({ id }) => id);
    const linked = await gateway.query('query ($ids: [ID!]!) { transactions(ids: $ids) { notifications { nodes { id } } } }', { ids });
    const [{ id }] = linked.data.transactions.flatMap(({ notifications }) => notifications.nodes);
    const query = gql`query Nested($id: ID!) { notification(id: $id) { id transaction { id } } }`;
    const client = newClient();
    const ask = (fetchPolicy) => client.query({ query, variables: { id }, errorPolicy: 'all', fetchPolicy });
    await gateway.fault({ route: 'transaction', status: 503 });
    assert.ok((await ask('cache-first')).error);
    await gateway.heal();
    const cached = await ask('cache-first');
    assert.deepEqual([cached.error, cached.data.notification.transaction], [undefined, null]);
    assert.ok((await ask('network-only')).data.notification.transaction.id);
  });

  const page = gql`
    query Page($id: ID!) {
      deposits(first: 50) { nodes { id } }
      transaction(id: $id) { id amount }
    }
  `;

  test('rejects a partial response, and returns its data with errorPolicy all', async () => {
    const [{ id }] = await gateway.transactions(1);
    await gateway.fault({ route: 'transaction', status: 503 });
    const ask = (errorPolicy) => newClient().query({ query: page, variables: { id }, errorPolicy });
    const { data, error } = await ask('all');
    assert.equal(data.deposits.nodes.length, 50);
    assert.equal(data.transaction, null);
    assert.ok(CombinedGraphQLErrors.is(error));
    assert.equal(error.errors.length, 1);
    assert.deepEqual(error.errors[0].path, ['transaction']);
    const { code, service, upstreamStatus, retryable } = error.errors[0].extensions;
    assert.deepEqual({ code, service, upstreamStatus, retryable },
      { code: 'UPSTREAM_ERROR', service: 'core', upstreamStatus: 503, retryable: true });
    await assert.rejects(ask(), ({ errors }) => errors[0].extensions.code === code);
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
    const first = await ask(newClient({ links: [hashes()] }));
    assert.equal(first.data.deposits.nodes.length, 2);
    assert.deepEqual(sent.map(({ method }) => method), ['GET', 'POST']);
    const { sha256Hash } = JSON.parse(sent[0].url.searchParams.get('extensions')).persistedQuery;
    assert.equal(sent[0].url.searchParams.get('query'), null);
    assert.equal(sha256Hash, sha256(sent[1].body.query));

    // Further clients send only the hash.
    const second = await ask(newClient({ links: [hashes()] }));
    assert.deepEqual(second.data, first.data);
    assert.deepEqual(sent.map(({ method }) => method), ['GET']);
    assert.equal(sent[0].url.searchParams.get('query'), null);
  });
});
