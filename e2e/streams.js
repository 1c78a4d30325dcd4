// What each client does with a subscription. A test file gives the client as a function that begins one.

import assert from 'node:assert/strict';
import { describe, before, after, afterEach, test } from 'node:test';
import { startGateway } from './gateway.js';
import { noticingSilence } from './recipes/live.js';
import { withToken } from './recipes/token.js';

export const watchPayment = `subscription Payment($id: ID!, $until: [TransactionStatus!], $since: DateTime) {
  transaction(id: $id, until: $until, since: $since) { id status updatedAt }
}`;

/**
 * The tests of a client. `watch` subscribes to watchPayment with the given `url`, `fetch` and `variables`, calls `next` with
 * `{ data, errors, extensions }` of each result and `end` at the end, and returns a function that stops it.
 */
export function testStreams(name, watch) {
  describe(`${name}: a subscription`, () => {
    let gateway; // has the APIs
    let id;
    before(async () => {
      gateway = await startGateway();
      id = (await gateway.samples()).openTransaction;
    });
    after(() => gateway.stop());
    afterEach(() => gateway.heal());

    /** Subscribes with the tokens of a sign-in, one after another. */
    function begin({ tokens = [gateway.token], send = fetch, until }) {
      const sent = [];
      const recording = (url, init) => {
        sent.push({ ...JSON.parse(init.body), accept: new Headers(init.headers).get('accept') });
        return send(url, init);
      };
      const results = [];
      let failed;
      let ended = false;
      let wake = () => {};
      const stop = watch({
        url: gateway.url,
        fetch: withToken(async () => (tokens.length > 1 ? tokens.shift() : tokens[0]), recording),
        variables: { id, until },
        next: (result) => { results.push(result); wake(); },
        end: (error) => { failed = error; ended = true; wake(); },
      });
      /** Waits until a condition is true. */
      async function when(condition) {
        while (!condition()) {
          assert.ok(!ended, `ended with ${failed} after ${JSON.stringify(results)}`);
          await new Promise((resolve) => { wake = resolve; });
        }
      }
      const reasons = () => results.map(({ extensions }) => extensions.live.reason);
      return {
        results, reasons, sent, stop, when,
        /** Waits for the end. */
        async end() {
          while (!ended) await new Promise((resolve) => { wake = resolve; });
          assert.equal(failed, undefined);
        },
      };
    }

    test('ends when the payment is PAID', async () => {
      const stream = begin({ until: ['PAID'] });
      await stream.end();
      const last = stream.results.at(-1);
      assert.equal(last.data.transaction.status, 'PAID');
      assert.deepEqual(last.extensions.live, { ...last.extensions.live, reason: 'REACHED', nextPollMs: null, final: true });
      assert.equal(stream.sent.length, 1);
      assert.match(stream.sent[0].accept, /event-stream|multipart/);
    });

    test('continues with another token when its own expires', async () => {
      const stream = begin({ tokens: [await gateway.mint({ ttl: 3 }), gateway.token], until: ['INFRACTION'] });
      const snapshots = () => stream.reasons().filter((reason) => reason === 'SNAPSHOT').length;
      await stream.when(() => snapshots() === 2);
      stream.stop();
      const expired = stream.results.find(({ errors }) => errors);
      assert.equal(expired.errors[0].extensions.code, 'UNAUTHENTICATED');
      assert.equal(expired.extensions.live.final, false);
    });

    test('ends with the error when an API forbids to read the payment', async () => {
      let stream;
      for (;;) { // until it is one that is read every second
        stream = begin({ until: ['INFRACTION'] });
        await stream.when(() => stream.results.length > 0);
        if (stream.results[0].data.transaction.status === 'PENDING') break;
        stream.stop();
        await gateway.step();
      }
      await gateway.fault({ route: 'transaction', status: 403 });
      await stream.end();
      const { errors, extensions } = stream.results.at(-1);
      assert.deepEqual([errors[0].extensions.code, extensions.live.reason, extensions.live.final], ['FORBIDDEN', 'FAILED', true]);
      assert.equal(stream.sent.length, 1);
    });

    test('reports why it is rejected', async () => {
      const stream = begin({ until: [] });
      await stream.end();
      assert.deepEqual(stream.results.map(({ errors }) => errors[0].extensions.code), ['BAD_USER_INPUT']);
      assert.equal(stream.sent.length, 1);
    });

    test('comes back when the network is lost', async () => {
      // The first stream is silent after its snapshot.
      let streams = 0;
      const send = async (url, init) => {
        const response = await fetch(url, init);
        if (++streams > 1) return response;
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        return new Response(new ReadableStream({
          async start(to) {
            for (let text = ''; !text.includes('SNAPSHOT');) {
              const { value } = await reader.read();
              text += value;
              to.enqueue(new TextEncoder().encode(value));
            }
          },
        }), response);
      };
      const stream = begin({ send: noticingSilence(send, 4000), until: ['INFRACTION'] });
      await stream.when(() => stream.reasons().filter((reason) => reason === 'SNAPSHOT').length === 2);
      stream.stop();
    });

    test('continues at another gateway, and misses no status', async () => {
      const [first, second] = await Promise.all([1, 2].map(() => startGateway(...gateway.settingsOfAPIs, '--shutdown-delay=0s')));
      try {
        let reopen;
        const closed = new Promise((resolve) => { reopen = resolve; });
        let current = async () => first.url;
        const send = async (url, init) => fetch(await current(), init);

        // A stream that is open, whose payment is not PAID yet, and cannot be read from now on.
        let stream;
        for (;;) {
          stream = begin({ until: ['PAID'], send });
          const paid = () => stream.reasons().includes('REACHED');
          await stream.when(() => stream.results.length > 0).catch(() => {});
          await gateway.fault({ route: 'transaction', status: 503 });
          await gateway.forgetCalls();
          while (!paid() && (await gateway.calls()).length === 0); // no earlier read is in progress
          if (!paid()) break;
          await gateway.heal();
        }
        const { updatedAt } = stream.results.filter(({ data }) => data?.transaction).at(-1).data.transaction;
        const known = stream.results.length;

        // The gateway stops. Meanwhile the payment is PAID, and REFUNDED.
        current = () => closed.then(() => second.url);
        await first.stop();
        await gateway.heal();
        const response = await fetch(`${gateway.coreURL}/transaction/${id}`, { headers: { authorization: `Bearer ${gateway.token}` } });
        const record = await response.json();
        const history = record.statusHistory.filter(({ status }) => status !== 'PAID');
        const at = new Date(Date.parse(updatedAt) + 1).toISOString();
        record.statusHistory = [...history, { ...history[0], status: 'PAID', date: at }, { ...history[0], status: 'REFUNDED', date: at }];
        await gateway.fault({ route: 'transaction', body: JSON.stringify({ ...record, status: 'REFUNDED' }) });
        reopen();
        await stream.end();
        const [last] = stream.results.slice(known).filter(({ data }) => data?.transaction);
        assert.deepEqual([last.data.transaction.status, last.extensions.live.reason], ['REFUNDED', 'REACHED']);
        assert.equal(stream.sent.at(-1).variables.since, updatedAt);
      } finally {
        await second.stop();
      }
    });
  });
}
