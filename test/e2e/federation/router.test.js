// Records of the gateway through routers, by orders of a second subgraph that refer to them.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { composeSubgraphs } from '@graphql-mesh/fusion-composition';
import { buildSchema } from 'graphql';
import { useGateway } from '../suite.js';
import { sdl, startOrders } from './orders.js';
import { routers } from './router.js';

const missing = '00000000-0000-4000-8000-000000000000';

for (const [name, start, ...flags] of Object.entries(routers).flatMap((router) => [router, [...router, '--live=off']])) {
  describe([name, ...flags].join(' '), () => {
    const gateway = useGateway('--federation=on', ...flags);
    const fields = 'id amount status customer { name document { value } } payer { name } statusHistory { status date }';
    let orders;
    let router;
    let payments; // a hundred transactions, as the gateway returns them to a client

    before(async () => {
      orders = await startOrders();
      router = await start([
        { name: 'pix', url: gateway.url, sdl: await (await fetch(gateway.schemaURL)).text() },
        { name: 'orders', url: orders.url, sdl },
      ]);
      payments = [];
      for (let page = 1; payments.length < 100; page++) {
        const { data: { deposits } } = await gateway.query('query ($page: Int) { deposits(page: $page, perPage: 50) { nodes { id } } }', { page });
        const { data } = await gateway.query(`query ($ids: [ID!]!) { transactions(ids: $ids) { ${fields} } }`, { ids: deposits.nodes.map(({ id }) => id) });
        payments.push(...data.transactions.filter((transaction) => transaction));
      }
      payments.length = 100;
    });
    beforeEach(() => gateway.forgetCalls());
    after(async () => {
      await router?.stop();
      orders?.stop();
    });

    /** Gives the shop an order for each of some references, such as `{ transaction: { id } }`. */
    const take = (...references) => {
      orders.orders = references.map((reference, i) => ({ id: `order-${i}`, ...reference }));
    };
    const transactions = (...ids) => take(...ids.map((id) => ({ transaction: { id } })));
    /** The codes of errors at the fields of orders. Routers may add to a path the first field that they asked for there. */
    const codes = ({ errors = [] }) => errors.map(({ path, extensions }) => `${path.slice(0, 3).join('.')} ${extensions.code}`);
    const amounts = ({ data }) => data.orders.map(({ transaction }) => transaction?.amount);

    test('120 orders have the 100 payments that clients get', async () => {
      const wanted = Array.from({ length: 120 }, (_, i) => payments[(i * 7) % 100]);
      transactions(...wanted.map(({ id }) => id));
      const { data, errors } = await router.query(`{ orders { transaction { ${fields} } } }`, gateway.headers);
      assert.equal(errors, undefined);
      assert.deepEqual(data.orders, wanted.map((transaction) => ({ transaction })));
      assert.equal((await gateway.calls(gateway.token)).length, 100);
      const { cost, variables } = router.requests.at(-1);
      assert.equal(cost, variables.representations.length);
    });

    test('keys that are null or unknown', async () => {
      take({ transaction: { id: payments[0].id } }, { transaction: null }, { transaction: { id: missing } }, { transaction: { id: 'x' } });
      const answer = await router.query('{ orders { id transaction { amount } } }', gateway.headers);
      assert.deepEqual(amounts(answer), [payments[0].amount, undefined, undefined, undefined]);
      assert.deepEqual(codes(answer), ['orders.2.transaction NOT_FOUND', 'orders.3.transaction BAD_USER_INPUT']);
    });

    test('records of all types, with records within them', async () => {
      const { data: { withdrawals: { nodes: [payout] } } } = await gateway.query('{ withdrawals(first: 1) { nodes { id amount } } }');
      const { data: { transaction } } = await gateway.query(
        'query ($id: ID!) { transaction(id: $id) { notifications { nodes { id status transaction { id } } } } }', { id: payments[0].id });
      const [{ id: webhook, status }] = transaction.notifications.nodes;
      take({ transaction: { id: payments[0].id }, payout: { id: payout.id }, webhook: { id: webhook } });
      const before = router.requests.length;
      const { data, errors } = await router.query(
        `{ orders {
          transaction { notifications { nodes { id status transaction { id } } } } payout { id amount } webhook { status transaction { amount } }
        } }`,
        gateway.headers);
      assert.equal(errors, undefined);
      assert.deepEqual(data.orders, [{ transaction, payout, webhook: { status, transaction: { amount: payments[0].amount } } }]);
      const costs = router.requests.slice(before).map(({ cost = 0 }) => cost);
      assert.equal(costs.reduce((sum, cost) => sum + cost), (1 + 50 + 50) + 1 + 2);
    });

    test('a field of the other subgraph that requires one of a record', async () => {
      const { data: { withdrawals } } = await gateway.query('{ withdrawals(first: 2) { nodes { id amount } } }');
      take(...withdrawals.nodes.map(({ id }) => ({ payout: { id } })));
      const { data, errors } = await router.query('{ orders { payout { entry } } }', gateway.headers);
      assert.equal(errors, undefined);
      assert.deepEqual(data.orders, withdrawals.nodes.map(({ amount }) => ({ payout: { entry: `-${amount}` } })));
    });

    test('a token without the scope of notifications', async () => {
      take({ transaction: { id: payments[0].id }, webhook: { id: 'any' } });
      const token = await gateway.mint({ scope: '' });
      const answer = await router.query('{ orders { transaction { amount } webhook { status } } }', { authorization: `Bearer ${token}` });
      assert.deepEqual(codes(answer), ['orders.0.webhook FORBIDDEN']);
      assert.deepEqual(amounts(answer), [payments[0].amount]);
      assert.deepEqual((await gateway.calls(token)).map((call) => call.split(' ')[0]), ['core']);
    });

    test('a record that an API does not return', async () => {
      transactions(...payments.slice(0, 3).map(({ id }) => id));
      await gateway.fault({ route: 'transaction', id: payments[1].id, status: 403 });
      const answer = await router.query('{ orders { transaction { amount } } }', gateway.headers);
      assert.deepEqual(codes(answer), ['orders.1.transaction FORBIDDEN']);
      assert.deepEqual(amounts(answer), [payments[0].amount, undefined, payments[2].amount]);
    });

    test('orders of deposits', async () => {
      const { data: { deposits } } = await gateway.query('{ deposits(first: 3) { nodes { id amount } } }');
      transactions(deposits.nodes[1].id);
      const { data, errors } = await router.query('{ deposits(first: 3) { nodes { id amount order { id } } } }', gateway.headers);
      assert.equal(errors, undefined);
      assert.deepEqual(data.deposits.nodes.map(({ order }) => order?.id), [undefined, 'order-0', undefined]);
    });

    test('a router that does not forward the token', async () => {
      transactions(payments[0].id);
      const { errors } = await router.query('{ orders { transaction { amount } } }');
      assert.deepEqual(errors.map(({ extensions }) => extensions.code), ['UNAUTHENTICATED']);
      assert.deepEqual(await gateway.calls(), []);
    });
  });
}

describe('Hive Gateway over the schema as Mesh composes it', () => {
  const gateway = useGateway();

  test('has the payments of the gateway', async () => {
    const schema = buildSchema(`${await (await fetch(gateway.schemaURL)).text()}
      directive @transport(subgraph: String, kind: String, location: String) repeatable on SCHEMA
      extend schema @transport(subgraph: "pix", kind: "http", location: "${gateway.url}")`);
    const runtime = createGatewayRuntime({
      logging: false,
      supergraph: composeSubgraphs([{ name: 'pix', schema }]).supergraphSdl,
      propagateHeaders: { fromClientToSubgraphs: ({ request }) => ({ authorization: request.headers.get('authorization') }) },
    });
    const query = '{ deposits(first: 2) { nodes { id amount statusHistory { status } } } }';
    const response = await runtime.fetch('http://localhost/graphql', {
      method: 'POST', headers: { ...gateway.headers, 'content-type': 'application/json' }, body: JSON.stringify({ query }),
    });
    assert.deepEqual(await response.json(), await gateway.query(query));
    await runtime[Symbol.asyncDispose]();
  });
});
