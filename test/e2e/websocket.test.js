// The tokens of graphql-ws with pixgraph-client. streams.js has what is expected of every client.

import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, test } from 'node:test';
import { newClient } from 'pixgraph-client/ws';
import WebSocket from 'ws';
import { watchPayment } from './streamclients.js';
import { useGateway } from './suite.js';

describe('graphql-ws', () => {
  const gateway = useGateway();

  /** Subscribes to payments on one connection. The tokens are those of `renew`, which is called with their number. */
  function watch(ids, renew) {
    const watched = { renewals: 0, connections: 0, results: ids.map(() => []), errors: [], changes: new EventEmitter() };
    const note = (list, value) => {
      list.push(value);
      watched.changes.emit('change');
    };
    const client = newClient(gateway.url.replace('http', 'ws'), async () => renew(watched.renewals++), { webSocketImpl: WebSocket });
    client.on('opened', () => { watched.connections++; });
    const stops = ids.map((id, i) => client.subscribe({ query: watchPayment, variables: { id } }, {
      next: (result) => note(watched.results[i], result), error: (error) => note(watched.errors, error), complete() {},
    }));
    return Object.assign(watched, { stop: () => stops.forEach((stop) => stop()) });
  }

  const idsOf = async (n) => (await gateway.transactions(n)).filter(Boolean).map(({ id }) => id);

  /** Waits until results or errors meet a condition. */
  async function until({ changes }, condition) {
    while (!condition()) await once(changes, 'change');
  }

  test('renews a token that the gateway refuses, once for all subscriptions', async () => {
    const watched = watch(await idsOf(3), (n) => (n === 0 ? 'no.such.token' : `${gateway.token}\n`));
    await until(watched, () => watched.results.every((results) => results.length > 0));
    watched.stop();
    assert.deepEqual([watched.renewals, watched.connections, watched.errors], [2, 2, []]);
  });

  for (const [name, mint, code] of [['invalid', () => 'no.such.token', 4401], ['expired', () => gateway.mint({ ttl: -60 }), 4403]]) {
    test(`ends with an error if a new token is ${name}, too`, async () => {
      const watched = watch(await idsOf(1), mint);
      await until(watched, () => watched.errors.length > 0);
      assert.deepEqual([watched.renewals, watched.errors.map((error) => error.code)], [2, [code]]);
    });
  }

  test('renews a token that an API refuses once for many subscriptions', async () => {
    const tokens = [await gateway.mint({ subject: 'revoked' }), await gateway.mint({ subject: 'new' })];
    const watched = watch(await idsOf(20), (n) => tokens[n]);
    await until(watched, () => watched.results.every((results) => results.length > 0));
    await gateway.fault({ token: tokens[0], route: 'transaction', status: 401 });
    await until(watched, () => watched.results.every((results) => results.length > 1));
    watched.stop();
    assert.deepEqual([watched.renewals, watched.connections, watched.errors], [2, 2, []]);
  });
});
