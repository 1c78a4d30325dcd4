// What is expected of every client that subscribes. streams.test.js and relay.test.js test the clients.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startGateway } from './gateway.js';
import { startNetwork } from './network.js';
import { Stream } from './stream.js';

/** The ids of transactions: many of the deposits have one. */
async function transactionIDs(gateway) {
  const found = [];
  for (const page of [1, 2, 3]) {
    const { data } = await gateway.query(`{ deposits(perPage: 50, page: ${page}) { nodes { id } } }`);
    const ids = data.deposits.nodes.map(({ id }) => id);
    const { data: { transactions } } = await gateway.query('query ($ids: [ID!]!) { transactions(ids: $ids) { id } }', { ids });
    found.push(...transactions.filter(Boolean).map(({ id }) => id));
  }
  return found;
}

/**
 * Tests clients, each by its name with its protocol and its function `watch` (see streamclients.js). The tests of all clients run
 * at the same time: each has a payment, tokens and a network of its own.
 */
export function testStreams(clients) {
  describe('a subscription', () => {
    let gateway; // has the APIs
    let ids;
    const streams = [];
    before(async () => {
      gateway = await startGateway();
      ids = await transactionIDs(gateway);
    });
    after(() => {
      for (const stream of streams) stream.stop();
      return gateway.stop();
    });

    /** Begins a stream whose payment is PENDING, by default with one token that is valid for long. */
    async function begin(name, { at = gateway, id = ids.pop(), mint, until = ['PAID'] } = {}) {
      await gateway.setStatus(id, 'PENDING');
      const subject = `${name} ${id}`;
      const stream = new Stream(name, id, await startNetwork(at));
      streams.push(stream);
      return stream.begin(clients[name].watch, mint ?? (() => gateway.mint({ subject })), until);
    }

    describe('of every client', { concurrency: true }, () => {
      for (const name of Object.keys(clients)) {
        test(`${name}: ends when the payment is PAID`, async () => {
          const stream = await begin(name);
          await stream.event('SNAPSHOT');
          await gateway.setStatus(stream.id, 'PAID');
          await stream.end();
          assert.equal(stream.failed, undefined, String(stream));
          assert.deepEqual(stream.reasons, ['SNAPSHOT', 'REACHED']);
          const { data, errors, extensions } = stream.results.at(-1);
          assert.deepEqual([data.transaction.status, errors ?? []], ['PAID', []]);
          assert.deepEqual(extensions.live, { ...extensions.live, nextPollMs: null, final: true });
          assert.equal(stream.network.connections, 1);
          const calls = await gateway.calls(stream.tokens[0]);
          assert.ok(calls.length >= 2);
          assert.ok(calls.every((call) => call.endsWith(`/transaction/${stream.id}`)), calls.join('\n'));
        });

        test(`${name}: continues with another token when its own expires`, async () => {
          // The first token is valid for longer than a busy machine needs to begin a stream, and each later one for longer.
          const stream = await begin(name, { mint: (n) => gateway.mint({ ttl: 8 + 4 * n, subject: `expiring ${name}` }) });
          await stream.event('SNAPSHOT', 2);
          stream.stop();
          assert.ok(stream.tokens.length > 1);
          assert.equal(stream.reasons.includes('FAILED'), clients[name].raw === true, 'only curl shows that the token has expired');
        });

        test(`${name}: continues with another token when an API refuses its own`, async () => {
          const stream = await begin(name, { mint: (n) => gateway.mint({ subject: `revoked ${name} ${n}` }) });
          await stream.event('SNAPSHOT');
          await gateway.fault({ token: stream.tokens[0], route: 'transaction', status: 401 });
          if (clients[name].raw) {
            await stream.end();
            assert.deepEqual(stream.reasons, ['SNAPSHOT', 'FAILED']);
            return;
          }
          await stream.event('SNAPSHOT', 2);
          stream.stop();
          assert.deepEqual([stream.reasons, stream.tokens.length], [['SNAPSHOT', 'SNAPSHOT'], 2]);
        });

        test(`${name}: makes no calls with a token that has expired`, async () => {
          const stream = await begin(name, { mint: (n) => gateway.mint({ ttl: n === 0 ? -60 : 600, subject: `expired ${name}` }) });
          if (clients[name].raw) {
            await stream.end();
            assert.ok(stream.failed);
          } else {
            await stream.event('SNAPSHOT');
            stream.stop();
            assert.equal(stream.tokens.length, 2);
          }
          assert.deepEqual(await gateway.calls(stream.tokens[0]), []);
        });

        test(`${name}: ends with the error when an API forbids to read the payment`, async () => {
          const stream = await begin(name);
          await stream.event('SNAPSHOT');
          await gateway.fault({ route: 'transaction', id: stream.id, status: 403 });
          await stream.end();
          const { errors, extensions } = stream.results.at(-1);
          assert.deepEqual([errors[0].extensions.code, extensions.live.reason, extensions.live.final], ['FORBIDDEN', 'FAILED', true]);
          assert.equal(stream.network.connections, 1, 'the client does not come back');
        });

        test(`${name}: has no error of an earlier event`, async () => {
          const id = ids.pop();
          const record = await gateway.record(id);
          await gateway.fault({ route: 'transaction', id, times: 1, body: JSON.stringify({ ...record, status: 'PENDING', updatedAt: 5 }) });
          const stream = await begin(name, { id });
          await stream.event('CHANGED');
          stream.stop();
          const [first, second] = stream.results;
          assert.deepEqual(first.errors.map(({ extensions }) => extensions.code), ['UPSTREAM_INVALID_RESPONSE']);
          assert.deepEqual(second.errors ?? [], []);
        });

        test(`${name}: reports why it is rejected`, async () => {
          const stream = await begin(name, { until: ['UNKNOWN'] });
          await stream.end();
          assert.deepEqual(stream.results.map(({ errors }) => errors[0].extensions.code), ['BAD_USER_INPUT']);
          assert.equal(stream.network.connections, 1);
        });

        test(`${name}: comes back when the network is lost`, async () => {
          const stream = await begin(name);
          await stream.event('SNAPSHOT');
          stream.network.freeze();
          await stream.event('SNAPSHOT', 2);
          stream.stop();
        });
      }
    });

    test('of every client continues at another gateway, and misses no status', async () => {
      const settings = gateway.settingsOfAPIs;
      // While it shuts down, the first gateway refuses clients that come back early.
      const [first, second] = await Promise.all(['1s', '0s'].map((delay) => startGateway(...settings, `--shutdown-delay=${delay}`)));
      const begun = await Promise.all(Object.keys(clients).map((name) => begin(name, { at: first })));
      try {
        await Promise.all(begun.map((stream) => stream.event('SNAPSHOT')));
        const protocols = Object.values(clients).map(({ protocol }) => `protocol="${protocol}"`);
        for (const [protocol, open] of Object.entries(await first.metric('pixgraph_live_streams'))) {
          assert.equal(open, protocols.filter((each) => each === protocol).length, protocol);
        }
      } finally {
        await first.stop();
      }
      try {
        for (const stream of begun) stream.network.lead(null);
        await gateway.forgetCalls();
        for (const status of ['PAID', 'REFUNDED']) await Promise.all(begun.map(({ id }) => gateway.setStatus(id, status)));
        assert.deepEqual(await gateway.calls(), [], 'nothing is read without a client');
        for (const stream of begun) stream.network.lead(second);
        for (const stream of begun) {
          await stream.when(() => stream.results.length > 1);
          assert.deepEqual(stream.reasons, ['SNAPSHOT', 'REACHED'], String(stream));
          assert.equal(stream.results[1].data.transaction.status, 'REFUNDED');
          await stream.end();
          assert.equal(stream.failed, undefined, String(stream));
        }
      } finally {
        await second.stop();
      }
    });

    test('is read no more when its client has left', async () => {
      const open = async () => Object.values(await gateway.metric('pixgraph_live_streams')).reduce((sum, n) => sum + n, 0);
      while (await open() > 0);
      const witness = await begin(Object.keys(clients)[0]);
      await witness.event('SNAPSHOT');
      await gateway.forgetCalls();
      for (const status of ['PIX_QRCODE_GENERATED', 'PENDING', 'PAID']) { // each takes a read, a second after the last one
        await gateway.setStatus(witness.id, status);
        await witness.when(() => witness.results.at(-1).data.transaction.status === status);
      }
      await witness.end();
      assert.deepEqual(await gateway.calls(), await gateway.calls(witness.tokens[0]));
    });
  });
}
