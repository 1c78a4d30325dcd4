// Live payments through a router that drops `extensions` of events, by pixgraph-client.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { events, withToken } from 'pixgraph-client';
import { useGateway } from '../suite.js';
import { routers } from './router.js';

describe('a subscription through Hive Gateway', () => {
  const gateway = useGateway('--federation=on');
  const query = `subscription ($id: ID!, $until: [TransactionStatus!], $since: DateTime) {
    transaction(id: $id, until: $until, since: $since) { status updatedAt }
  }`;
  let router;
  let ids;

  before(async () => {
    const sdl = await (await fetch(gateway.schemaURL)).text();
    router = await routers['@graphql-hive/gateway-runtime']([{ name: 'pix', url: gateway.url, sdl }]);
    ids = (await gateway.transactions(4)).map(({ id }) => id);
  });
  after(() => router?.stop());

  /** The statuses and error codes of the events of a payment, until they end. `act` is called after each. */
  async function watch(id, act, { renew = async () => gateway.token, document = query, variables = { until: ['PAID'] } } = {}) {
    await gateway.setStatus(id, 'PENDING');
    const seen = [];
    const operation = { query: document, variables: { id, ...variables } };
    for await (const { data, errors, extensions } of events('http://localhost/graphql', operation, { fetch: withToken(renew, router.fetch) })) {
      assert.equal(extensions?.live, undefined, 'the router drops them');
      seen.push(data.transaction?.status ?? errors[0].extensions.code);
      await act(seen);
    }
    return seen;
  }

  test('has each change until the status that it waits for', async () => {
    const next = { PENDING: 'PIX_QRCODE_GENERATED', PIX_QRCODE_GENERATED: 'PAID' };
    const seen = await watch(ids[0], (statuses) => next[statuses.at(-1)] && gateway.setStatus(ids[0], next[statuses.at(-1)]));
    assert.deepEqual(seen, ['PENDING', 'PIX_QRCODE_GENERATED', 'PAID']);
  });

  test('ends with the field live, whatever the variables are', async () => {
    const document = 'subscription ($id: ID!) { transaction(id: $id, until: [PAID]) { status live } }';
    const seen = await watch(ids[3], (statuses) => statuses.length === 1 && gateway.setStatus(ids[3], 'PAID'), { document, variables: {} });
    assert.deepEqual(seen, ['PENDING', 'PAID']);
  });

  test('continues with another token when its own expires', async () => {
    const tokens = [];
    const renew = async () => tokens[tokens.push(await gateway.mint({ ttl: tokens.length === 0 ? 6 : 600 })) - 1];
    const seen = await watch(ids[1], (statuses) => statuses.length === 2 && gateway.setStatus(ids[1], 'PAID'), { renew });
    assert.deepEqual(seen, ['PENDING', 'PENDING', 'PAID']);
    assert.equal(tokens.length, 2);
  });

  test('ends with the error of a payment that the token may not read', async () => {
    const seen = await watch(ids[2], (statuses) => statuses.length === 1 && gateway.fault({ route: 'transaction', id: ids[2], status: 403 }));
    assert.deepEqual(seen, ['PENDING', 'FORBIDDEN']);
  });
});
