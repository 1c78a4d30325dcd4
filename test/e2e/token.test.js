// withToken of pixgraph-client: one renewal for a token that the gateway refuses, and for one that an API refuses, with each client.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApolloClient, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { GraphQLClient } from 'graphql-request';
import { withToken } from 'pixgraph-client';
import { useGateway } from './suite.js';

describe('a token that is refused', () => {
  const gateway = useGateway();
  const text = '{ deposits(first: 1) { totalCount } withdrawals(first: 1) { totalCount } }';

  /** Each client over a fetch. It returns the data, or throws. */
  const clients = {
    'Apollo Client': (fetch) => async () => {
      const client = new ApolloClient({ link: new HttpLink({ uri: gateway.url, fetch }), cache: new InMemoryCache() });
      return (await client.query({ query: gql(text) })).data;
    },
    'graphql-request': (fetch) => () => new GraphQLClient(gateway.url, { fetch }).request(text),
    urql: (fetch) => async () => {
      const client = new Client({ url: gateway.url, exchanges: [fetchExchange], preferGetMethod: false, fetch });
      const { data, error } = await client.query(text, {});
      if (error) throw error;
      return data;
    },
  };

  /** A sign-in that returns the given tokens, one after another. */
  function signIn(...tokens) {
    let renewals = 0;
    return {
      renew: async () => tokens[renewals++] ?? assert.fail('one renewal too many'),
      get renewals() { return renewals; },
    };
  }

  /** A fetch that records the statuses of its responses. */
  function watchedFetch() {
    const statuses = [];
    const send = async (...args) => {
      const response = await fetch(...args);
      statuses.push(response.status);
      return response;
    };
    return { send, statuses };
  }

  const tokenOf = (token) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
  const post = (token) => fetch(gateway.url, { method: 'POST', headers: tokenOf(token), body: JSON.stringify({ query: text }) });

  for (const [name, client] of Object.entries(clients)) {
    test(`${name}: an expired token is renewed`, async () => {
      const user = signIn(await gateway.mint({ ttl: -60 }), gateway.token);
      const { send, statuses } = watchedFetch();
      const ask = client(withToken(user.renew, send));
      await gateway.forgetCalls();
      assert.ok((await ask()).deposits.totalCount > 0);
      assert.deepEqual(statuses, [401, 200]);
      assert.equal((await gateway.calls()).length, 2, 'the refused request made no calls');
      await ask();
      assert.equal(user.renewals, 2, 'the new token is kept');
    });

    test(`${name}: a token that an API refuses is renewed`, async () => {
      const revoked = await gateway.mint();
      await gateway.fault({ token: revoked, route: 'withdrawal', status: 401 });
      const user = signIn(revoked, gateway.token);
      const { send, statuses } = watchedFetch();
      assert.ok((await client(withToken(user.renew, send))()).withdrawals.totalCount > 0);
      assert.deepEqual(statuses, [200, 200]);
    });

    test(`${name}: a second refusal is reported`, async () => {
      const user = signIn('no.such.token', 'nor.this.one');
      const { send, statuses } = watchedFetch();
      await assert.rejects(client(withToken(user.renew, send)));
      assert.deepEqual(statuses, [401, 401]);
    });
  }

  test('a 200 has the parts that no API refused', async () => {
    const revoked = await gateway.mint();
    await gateway.fault({ token: revoked, route: 'withdrawal', status: 401 });
    const response = await post(revoked);
    const { data, errors } = await response.json();
    assert.equal(response.status, 200);
    assert.ok(data.deposits.totalCount > 0);
    assert.equal(data.withdrawals, null);
    const [{ path, extensions: { code, service, upstreamStatus } }] = errors;
    assert.deepEqual({ path, code, service, upstreamStatus },
      { path: ['withdrawals'], code: 'UNAUTHENTICATED', service: 'core', upstreamStatus: 401 });
  });

  test('a 401 says why, and has no data', async () => {
    const response = await post('no.such.token');
    assert.equal(response.status, 401);
    assert.match(response.headers.get('www-authenticate'), /^Bearer .*error="invalid_token"/);
    const { data, errors } = await response.json();
    assert.equal(data, undefined);
    assert.deepEqual(errors.map(({ extensions }) => extensions.code), ['UNAUTHENTICATED']);
  });

  test('requests at the same time renew it once', async () => {
    const user = signIn('no.such.token', gateway.token);
    const send = withToken(user.renew);
    const body = JSON.stringify({ query: text });
    const requests = Array.from({ length: 5 }, () => send(gateway.url, { method: 'POST', headers: tokenOf('none'), body }));
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200]);
    assert.equal(user.renewals, 2);
  });

  test('a renewal that fails is tried again by the next request', async () => {
    let down = true;
    const renew = async () => (down ? Promise.reject(new Error('the issuer is down')) : gateway.token);
    const ask = clients['graphql-request'](withToken(renew));
    await assert.rejects(ask(), /the issuer is down/);
    down = false;
    assert.ok((await ask()).deposits.totalCount > 0);
  });
});
