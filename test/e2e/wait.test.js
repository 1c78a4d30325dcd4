// waitFor of pixgraph-client: payments of a real gateway, over a fetch as React Native has it, whose responses have no streams.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withToken } from 'pixgraph-client';
import { codeOf } from 'pixgraph-client/errors';
import { awaitTransaction, awaitWithdrawal, waitFor } from 'pixgraph-client/wait';
import { startGateway } from './gateway.js';
import { startNetwork } from './network.js';
import { useGateway } from './suite.js';

describe('waiting for a payment', () => {
  const gateway = useGateway();

  const send = async (...args) => {
    const response = await fetch(...args);
    return Object.defineProperty(response, 'body', { value: undefined });
  };

  /** Begins to wait for PAID. `first` resolves at the first response. */
  function begin(id, { url = gateway.url, query = awaitTransaction, until = ['PAID'], mint = () => gateway.mint(), ...options } = {}) {
    const begun = { tokens: [], seen: [] };
    const renew = async () => {
      begun.tokens.push(await mint(begun.tokens.length));
      return begun.tokens.at(-1);
    };
    begun.first = new Promise((resolve) => {
      begun.end = waitFor(url, { query, variables: { id, until } }, {
        fetch: withToken(renew, send),
        onData: (data) => {
          begun.seen.push(Object.values(data)[0].status);
          resolve();
        },
        ...options,
      });
    });
    begun.end.catch(() => {});
    return begun;
  }

  async function pending(n) {
    const { id } = (await gateway.transactions(8))[n];
    await gateway.setStatus(id, 'PENDING');
    return id;
  }

  test('ends when it is PAID', async () => {
    const id = await pending(0);
    const { first, end, seen } = begin(id);
    await first;
    await gateway.setStatus(id, 'PAID');
    const { awaitTransaction: payment } = await end;
    assert.deepEqual([payment.id, payment.status, seen], [id, 'PAID', ['PENDING', 'PAID']]);
  });

  test('ends when it was PAID and is REFUNDED, also while no gateway was there', async () => {
    const id = await pending(1);
    const other = await startGateway(...gateway.settingsOfAPIs, '--shutdown-delay=0s');
    const network = await startNetwork(other);
    const { first, end, seen } = begin(id, { url: network.url });
    await first;
    await other.stop();
    network.lead(null);
    for (const status of ['PAID', 'REFUNDED']) await gateway.setStatus(id, status);
    network.lead(gateway);
    assert.equal((await end).awaitTransaction.status, 'REFUNDED');
    assert.equal(seen.at(-1), 'REFUNDED');
    network.close();
  });

  test('renews a token that has expired, and one that an API refuses', async () => {
    for (const refused of [() => gateway.mint({ ttl: -60 }), async () => {
      const token = await gateway.mint({ subject: 'revoked' });
      await gateway.fault({ token, route: 'transaction', status: 401 });
      return token;
    }]) {
      const id = await pending(2);
      const { first, end, tokens } = begin(id, { mint: (n) => (n === 0 ? refused() : gateway.mint()) });
      await first;
      await gateway.setStatus(id, 'PAID');
      await end;
      assert.equal(tokens.length, 2);
    }
  });

  test('knows withdrawals', async () => {
    const { data } = await gateway.query('{ withdrawals(first: 1) { nodes { id status } } }');
    const [{ id, status }] = data.withdrawals.nodes;
    assert.equal((await begin(id, { query: awaitWithdrawal, until: [status] }).end).awaitWithdrawal.id, id);
  });

  for (const [name, id, until, code] of [
    ['an unknown record', '00000000-0000-4000-8000-000000000000', ['PAID'], 'NOT_FOUND'],
    ['no status', '00000000-0000-4000-8000-000000000000', [], 'BAD_USER_INPUT'],
    ['a status that does not exist', '00000000-0000-4000-8000-000000000000', ['PAYED'], 'GRAPHQL_VALIDATION_FAILED'],
  ]) {
    test(`fails for ${name}`, async () => assert.rejects(begin(id, { until }).end, (error) => codeOf(error) === code));
  }

  test('can be ended', async () => {
    const id = await pending(3);
    const control = new AbortController();
    const { first, end } = begin(id, { signal: control.signal });
    await first;
    control.abort();
    await assert.rejects(end, { name: 'AbortError' });
    await assert.rejects(begin(id, { timeout: 1 }).end, { name: 'TimeoutError' });
  });
});
