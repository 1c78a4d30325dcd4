// The clients of docs/live.md. The test of Relay is in relay.test.js, which has its compiler.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withToken } from 'pixgraph-client';
import * as sse from 'pixgraph-client/sse';
import * as ws from 'pixgraph-client/ws';
import { clients } from './streamclients.js';
import { testStreams } from './streams.js';
import { useGateway } from './suite.js';

testStreams(clients);

describe('a client for subscriptions', () => {
  const gateway = useGateway();

  const renew = async () => gateway.token;
  for (const [name, newClient] of Object.entries({
    'graphql-sse': () => sse.newClient(gateway.url, withToken(renew)),
    'graphql-ws': () => ws.newClient(gateway.url.replace('http', 'ws'), renew),
  })) {
    test(`${name} runs queries too`, async () => {
      const results = [];
      await new Promise((complete, error) => {
        newClient().subscribe({ query: '{ deposits(perPage: 2) { nodes { id } } }' }, {
          next: (result) => results.push(result), error, complete,
        });
      });
      assert.deepEqual(results.map(({ data }) => data.deposits.nodes.length), [2]);
    });

    test(`${name} does not repeat a query whose parts failed`, async () => {
      await gateway.fault({ route: 'withdrawal', status: 429 });
      const result = await new Promise((next, error) => {
        newClient().subscribe({ query: '{ deposits { totalCount } withdrawals { totalCount } }' }, { next, error, complete() {} });
      });
      assert.equal(result.data.withdrawals, null);
      assert.equal(result.errors[0].extensions.retryable, true);
    });

    test(`${name} subscribes again and again, also after it was stopped by its last event`, async () => {
      const client = newClient();
      const [{ id }] = await gateway.transactions(1);
      const { status } = await gateway.record(id);
      for (let i = 0; i < 3; i++) {
        const reason = await new Promise((resolve, reject) => {
          const query = `subscription { transaction(id: "${id}", until: [${status}]) { status } }`;
          const stop = client.subscribe({ query }, {
            next(result) {
              stop();
              resolve(result.extensions.live.reason);
            },
            error: reject,
            complete: () => reject(new Error('complete')),
          });
        });
        assert.equal(reason, 'REACHED');
      }
    });
  }
});
