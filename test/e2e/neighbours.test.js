// What front ends send in another form than the documented one, with a client of GraphQL.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Client, fetchExchange } from '@urql/core';
import { withToken } from 'pixgraph-client';
import { useGateway } from './suite.js';

describe('urql', () => {
  const gateway = useGateway();
  const connect = (send, url = gateway.url) => new Client({ url, exchanges: [fetchExchange], preferGetMethod: false, fetch: send });
  const withGatewayToken = () => withToken(async () => gateway.token);

  test('20 queries whose token an API refuses make 21 requests and one renewal', async () => {
    const tokens = [await gateway.mint(), await gateway.mint()];
    for (const token of tokens) await gateway.fault({ token, route: 'notification', status: 401 });
    let renewals = -1; // the first token is no renewal
    let requests = 0;
    const send = withToken(async () => tokens[++renewals] ?? assert.fail('one renewal too many'), (...args) => {
      requests++;
      return fetch(...args);
    });
    const client = connect(send);
    const { notification: id } = await gateway.samples();
    for (let i = 0; i < 20; i++) {
      const { data, error } = await client.query('query ($id: ID!) { deposits(first: 1) { totalCount } notification(id: $id) { status } }', { id },
        { requestPolicy: 'network-only' }).toPromise();
      assert.equal(data.notification, null);
      assert.ok(data.deposits.totalCount > 0);
      assert.equal(error.graphQLErrors[0].extensions.code, 'UNAUTHENTICATED');
    }
    assert.deepEqual({ requests, renewals }, { requests: 21, renewals: 1 });
  });

  test('an amount may be digits in a string', async () => {
    const client = connect(withGatewayToken());
    const text = 'query ($amount: Cents) { deposits(first: 100, filter: {minAmount: $amount}) { totalCount nodes { id amount } } }';
    const [asNumber, asString] = await Promise.all([50_000, '50000'].map((amount) => client.query(text, { amount }).toPromise()));
    assert.equal(asString.error, undefined);
    assert.ok(asNumber.data.deposits.nodes.length > 0 && asNumber.data.deposits.nodes.every(({ amount }) => amount >= 50_000));
    assert.deepEqual(asString.data, asNumber.data);
  });

  test('the path may end with a slash', async () => {
    const { data, error } = await connect(withGatewayToken(), `${gateway.url}/`).query('{ deposits(first: 1) { totalCount } }', {}).toPromise();
    assert.equal(error, undefined);
    assert.ok(data.deposits.totalCount > 0);
  });
});
