// urql's normalized cache with pixgraph-client/graphcache. Graphcache reports a missing key as a warning on the console.

import assert from 'node:assert/strict';
import { afterEach, before, describe, mock, test } from 'node:test';
import { Client, fetchExchange, gql } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { buildSchema, getNamedType, isObjectType } from 'graphql';
import { cacheOptions, keys } from 'pixgraph-client/graphcache';
import { recordingFetch } from './gateway.js';
import { useGateway } from './suite.js';

describe('urql with Graphcache', () => {
  const gateway = useGateway();
  let schema;
  let warnings;
  before(async () => {
    schema = buildSchema(await (await fetch(gateway.schemaURL)).text());
    warnings = mock.method(console, 'warn', () => {}).mock;
  });
  afterEach(() => assert.deepEqual(warnings.calls.map(({ arguments: [text] }) => text), []));

  function newClient() {
    const recording = recordingFetch();
    const client = new Client({
      url: gateway.url,
      exchanges: [cacheExchange(cacheOptions()), fetchExchange],
      fetchOptions: () => ({ headers: gateway.headers }),
      fetch: recording,
    });
    return { client, sent: recording.requests };
  }

  /** A selection of every field of a type; a type is not selected within itself. */
  function everything(type, above = []) {
    const fields = Object.values(type.getFields()).map((field) => {
      const fieldType = getNamedType(field.type);
      if (!isObjectType(fieldType)) return field.name;
      return above.includes(fieldType) ? '' : `${field.name} ${everything(fieldType, [...above, type])}`;
    });
    return `{ ${fields.join(' ')} }`;
  }

  const scroll = gql`
    query Scroll($first: Int!, $after: String, $filter: DepositFilter) {
      deposits(first: $first, after: $after, filter: $filter) {
        nodes { id } edges { node { id } } pageInfo { hasNextPage endCursor }
      }
    }
  `;
  const table = gql`
    query Table($page: Int!) { deposits(page: $page, perPage: 5) { currentPage nodes { id } } }
  `;
  const ids = (nodes) => nodes.map(({ id }) => id);

  test('has a key for every type without an id', () => {
    const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !('id' in type.getFields()));
    const known = /^__|^(Query|Subscription)$|PageInfo|(Connection|Edge)$/; // Graphcache expects no key for these
    assert.deepEqual(Object.keys(keys).sort(), types.map(({ name }) => name).filter((name) => !known.test(name)).sort());
  });

  test('keeps every field of a payment without a warning', async () => {
    const [{ id }] = await gateway.transactions(1);
    const transaction = everything(schema.getType('Transaction'));
    const { client, sent } = newClient();
    const first = await client.query(`query ($id: ID!) { transaction(id: $id) ${transaction} }`, { id });
    assert.equal(first.error, undefined);
    assert.equal(first.data.transaction.id, id);
    const second = await client.query('query ($id: ID!) { transaction(id: $id) { id statusHistory { status } } }', { id });
    assert.deepEqual(second.data.transaction.statusHistory.map(({ status }) => status),
      first.data.transaction.statusHistory.map(({ status }) => status));
    assert.equal(sent.length, 1, 'the second query is answered from the cache');
  });

  test('joins the pages of first and after into one list for each filter', async () => {
    const { client } = newClient();
    for (const filter of [{ depositOrigin: ['QRCODE'] }, { depositOrigin: ['PIX_KEY'] }]) {
      const first = await client.query(scroll, { first: 3, filter });
      const both = await client.query(scroll, { first: 3, after: first.data.deposits.pageInfo.endCursor, filter: { ...filter } });
      const { nodes } = (await newClient().client.query(scroll, { first: 6, filter })).data.deposits;
      assert.deepEqual(ids(both.data.deposits.nodes), ids(nodes));
      assert.deepEqual(both.data.deposits.edges.map(({ node }) => node.id), ids(nodes));
    }
  });

  test('keeps the pages of page and perPage apart', async () => {
    const { client, sent } = newClient();
    const pages = [];
    for (const page of [1, 2, 1]) pages.push((await client.query(table, { page })).data.deposits);
    assert.deepEqual(pages.map(({ currentPage }) => currentPage), [1, 2, 1]);
    assert.equal(new Set(pages.flatMap(({ nodes }) => ids(nodes))).size, 10);
    assert.equal(sent.length, 2, 'the first page is still in the cache');
  });

  test('returns partial data with the errors, and requests the failed part again', async () => {
    const { client } = newClient();
    const [{ id }] = await gateway.transactions(1);
    const page = 'query ($id: ID!) { deposits(first: 2) { nodes { id } } withdrawals(first: 1) { nodes { id } } transaction(id: $id) { id } }';
    await gateway.fault({ route: 'withdrawal', status: 503 });
    await gateway.fault({ route: 'transaction', status: 503 });
    const partial = await client.query(page, { id });
    assert.equal(partial.data.deposits.nodes.length, 2);
    assert.deepEqual([partial.data.withdrawals, partial.data.transaction], [null, null]);
    assert.deepEqual(partial.error.graphQLErrors.map(({ path, extensions }) => [path[0], extensions.code]).sort(),
      [['transaction', 'UPSTREAM_ERROR'], ['withdrawals', 'UPSTREAM_ERROR']]);
    await gateway.heal();
    const whole = await client.query(page, { id });
    assert.equal(whole.error, undefined);
    assert.equal(whole.data.withdrawals.nodes.length, 1);
    assert.equal(whole.data.transaction.id, id);
  });
});
