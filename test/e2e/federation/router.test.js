// Records of the gateway through a router, by orders of a second subgraph that refer to them.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { useGateway } from '../suite.js';
import { sdl, startOrders } from './orders.js';
import { startRouter } from './router.js';

const missing = '00000000-0000-4000-8000-000000000000';

for (const flags of [[], ['--fast-path=off', '--live=off']]) {
  describe(['a router', ...flags].join(' '), () => {
    const gateway = useGateway('--federation=on', ...flags);
    let orders;
    let router;
    let payments; // a hundred transactions, as the gateway returns them to a client
    const fields = 'id amount status customer { name document { value } } payer { name } statusHistory { status date }';

    before(async () => {
      orders = await startOrders();
      router = await startRouter([
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

    /** Gives the shop one order for each of some references, such as `{ transaction: { id } }`. */
    const take = (...references) => {
      orders.orders = references.map((reference, i) => ({ id: `order-${i}`, ...reference }));
    };
    const codes = ({ errors = [] }) => errors.map(({ path, extensions }) => `${path.join('.')} ${extensions.code}`);

    test('120 orders have the 100 payments that clients get', async () => {
      const wanted = Array.from({ length: 120 }, (_, i) => payments[(i * 7) % 100]);
      take(...wanted.map(({ id }) => ({ transaction: { id } })));
      const { data, errors } = await router.query(`{ orders { transaction { ${fields} } } }`, { token: gateway.token });
      assert.equal(errors, undefined);
      assert.deepEqual(JSON.parse(JSON.stringify(data.orders)), wanted.map((transaction) => ({ transaction })));
      assert.equal((await gateway.calls(gateway.token)).length, 100);
      const { cost, request } = router.sent.at(-1);
      assert.equal(cost, request.variables.representations.length);
    });

    test('keys that are null or unknown', async () => {
      take({ transaction: { id: payments[0].id } }, { transaction: null }, { transaction: { id: missing } }, { transaction: { id: 'x' } });
      const answer = await router.query('{ orders { id transaction { amount } } }', { token: gateway.token });
      assert.deepEqual(answer.data.orders.map(({ transaction }) => transaction?.amount), [payments[0].amount, undefined, undefined, undefined]);
      assert.deepEqual(codes(answer), ['orders.2.transaction NOT_FOUND', 'orders.3.transaction BAD_USER_INPUT']);
    });

    test('records of all types, with records within them', async () => {
      const { data: { withdrawals } } = await gateway.query('{ withdrawals(first: 1) { nodes { id amount } } }');
      const { data: { transaction } } = await gateway.query(
        'query ($id: ID!) { transaction(id: $id) { notifications { nodes { id status transaction { id } } } } }', { id: payments[0].id });
      const [{ id: webhook, status }] = transaction.notifications.nodes;
      await gateway.forgetCalls();
      take({ transaction: { id: payments[0].id }, payout: { id: withdrawals.nodes[0].id }, webhook: { id: webhook } });
      const { data, errors } = await router.query(
        '{ orders { transaction { notifications { nodes { id status transaction { id } } } } payout { amount } webhook { status transaction { amount } } } }',
        { token: gateway.token });
      assert.equal(errors, undefined);
      assert.deepEqual(JSON.parse(JSON.stringify(data.orders)), [{
        transaction, payout: { amount: withdrawals.nodes[0].amount }, webhook: { status, transaction: { amount: payments[0].amount } },
      }]);
      const { cost } = router.sent.findLast(({ request }) => request.query.includes('notifications'));
      assert.equal(cost, 1 + 50 + 50);
    });

    test('a token without the scope of notifications', async () => {
      take({ transaction: { id: payments[0].id }, webhook: { id: 'any' } });
      const token = await gateway.mint({ scope: '' });
      const answer = await router.query('{ orders { transaction { amount } webhook { status } } }', { token });
      assert.deepEqual(codes(answer), ['orders.0.webhook FORBIDDEN']);
      assert.equal(answer.data.orders[0].transaction.amount, payments[0].amount);
      assert.deepEqual((await gateway.calls(token)).map((call) => call.split(' ')[0]), ['core']);
    });

    test('a record that an API does not return', async () => {
      take(...payments.slice(0, 3).map(({ id }) => ({ transaction: { id } })));
      await gateway.fault({ route: 'transaction', id: payments[1].id, status: 403 });
      const answer = await router.query('{ orders { transaction { amount } } }', { token: gateway.token });
      assert.deepEqual(codes(answer), ['orders.1.transaction FORBIDDEN']);
      assert.deepEqual(answer.data.orders.map(({ transaction }) => transaction?.amount), [payments[0].amount, undefined, payments[2].amount]);
    });

    test('orders of deposits', async () => {
      const { data: { deposits } } = await gateway.query('{ deposits(first: 3) { nodes { id amount } } }');
      take({ transaction: { id: deposits.nodes[1].id } });
      const { data, errors } = await router.query('{ deposits(first: 3) { nodes { id amount order { id } } } }', { token: gateway.token });
      assert.equal(errors, undefined);
      assert.deepEqual(data.deposits.nodes.map(({ order }) => order?.id), [undefined, 'order-0', undefined]);
    });

    test('a router that does not forward the token', async () => {
      take({ transaction: { id: payments[0].id } });
      const { errors } = await router.query('{ orders { transaction { amount } } }');
      assert.deepEqual(errors.map(({ extensions }) => extensions.code), ['UNAUTHENTICATED']);
      assert.deepEqual(await gateway.calls(), []);
    });
  });
}
