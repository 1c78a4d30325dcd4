// The links of Apollo Client, over links that a test controls. test/e2e has those over a gateway.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { ApolloClient, ApolloLink, InMemoryCache, Observable, gql } from '@apollo/client';
import { ServerError } from '@apollo/client/errors';
import { TokenError } from 'pixgraph-client';
import { liveOf, resumingLink, typePolicies, withLive } from 'pixgraph-client/apollo';
import { pass, settle, useClock } from './network.js';

const payment = gql`subscription ($id: ID!) { transaction(id: $id) { id status updatedAt } }`;
const variables = { id: '1' };
const event = (reason, { final = false, updatedAt = 't1', ...more } = {}) => ({
  data: { transaction: { __typename: 'Transaction', id: '1', status: 'PENDING', updatedAt } }, extensions: { live: { reason, final } }, ...more,
});
const failed = (reason, extensions) => (
  { data: { transaction: null }, errors: [{ message: 'm', extensions }], extensions: { live: { reason, final: false } } });
const stale = failed('STALE', { code: 'UPSTREAM_ERROR', retryable: true });
const expired = failed('FAILED', { code: 'UNAUTHENTICATED', retryable: false });

/** A client whose connections the test has: their variables, and observers. */
function newClient() {
  const connections = [];
  const network = new ApolloLink((operation) => new Observable((observer) => {
    const connection = { observer, open: true, variables: { ...operation.variables } };
    connections.push(connection);
    return () => { connection.open = false; };
  }));
  const cache = new InMemoryCache({ typePolicies: typePolicies() });
  return { client: withLive(new ApolloClient({ link: resumingLink().concat(network), cache })), connections };
}

/** What a subscription shows. */
function watch(client, options) {
  const watched = { live: [], data: [], errors: [], ended: false };
  const subscription = client.subscribe({ query: payment, variables, errorPolicy: 'all', ...options }).subscribe({
    next(result) {
      watched.live.push(liveOf({ data: result.data, error: result.error })?.reason); // what useSubscription returns
      watched.data.push(result.data);
      if (result.error) watched.errors.push(result.error);
    },
    complete: () => { watched.ended = true; },
  });
  return Object.assign(watched, { stop: () => subscription.unsubscribe() });
}

describe('a subscription of Apollo Client', () => {
  beforeEach(useClock);
  afterEach(() => mock.reset());

  test('has extensions.live also for equal data and for errors, whatever the policies are', async () => {
    for (const options of [{}, { errorPolicy: 'none' }, { fetchPolicy: 'no-cache' }]) {
      const { client, connections } = newClient();
      const { live, data } = watch(client, options);
      const results = [event('SNAPSHOT'), event('CHANGED'), stale, event('RECOVERED'), event('REACHED', { final: true })];
      for (const result of results) connections[0].observer.next(result);
      assert.deepEqual(live, ['SNAPSHOT', 'CHANGED', 'STALE', 'RECOVERED', 'REACHED']);
      assert.deepEqual(data[0], data[1]);
      assert.equal(liveOf({ data: data[0] }).reason, 'SNAPSHOT');
      await settle();
    }
    assert.equal(liveOf({}), undefined);
  });

  test('resumes after an expired token and lost connections, without an error', async () => {
    const { client, connections } = newClient();
    const watched = watch(client);
    connections[0].observer.next(event('SNAPSHOT'));
    connections[0].observer.next(expired);
    connections[0].observer.complete();
    await pass(500);
    connections[1].observer.next(event('SNAPSHOT', { updatedAt: 't2' }));
    connections[1].observer.error(new TypeError('terminated'));
    await pass(1000);
    connections[2].observer.error(new Error('premature end of multipart body'));
    await pass(2000);
    connections[3].observer.error(new ServerError('m', { response: new Response('', { status: 503, headers: { 'retry-after': '60' } }), bodyText: '' }));
    await pass(59_999);
    assert.equal(connections.length, 4);
    await pass(1);
    connections[4].observer.next(event('REACHED', { final: true }));
    connections[4].observer.complete();
    assert.deepEqual(watched.live, ['SNAPSHOT', 'SNAPSHOT', 'REACHED']);
    assert.deepEqual([watched.errors, watched.ended], [[], true]);
    assert.deepEqual(connections.map((connection) => connection.variables.since), [undefined, 't1', 't2', 't2', 't2']);
    assert.equal(connections.filter(({ open }) => open).length, 0);
  });

  test('waits as long as the gateway says', async () => {
    const { client, connections } = newClient();
    watch(client);
    const bodyText = JSON.stringify({ errors: [{ message: '', extensions: { code: 'RATE_LIMITED', retryable: true, retryAfterMs: 7000 } }] });
    connections[0].observer.error(new ServerError('m', { response: new Response('', { status: 429 }), bodyText }));
    await pass(6999);
    assert.equal(connections.length, 1);
    await pass(1);
    assert.equal(connections.length, 2);
  });

  for (const [name, error] of [
    ['a refused request', new ServerError('m', { response: new Response('', { status: 400 }), bodyText: '' })],
    ['a token that cannot be renewed', new TokenError(new Error('signed out'))],
  ]) {
    test(`ends after ${name}`, async () => {
      const { client, connections } = newClient();
      const watched = watch(client);
      connections[0].observer.error(error);
      await pass(10_000);
      assert.equal(connections.length, 1);
      assert.deepEqual([watched.errors, watched.ended], [[error], true]);
    });
  }

  test('is one for two components with the same variables, until both have left', async () => {
    const { client, connections } = newClient();
    const [first, second] = [watch(client), watch(client)];
    connections[0].observer.next(event('SNAPSHOT'));
    first.stop();
    connections[0].observer.complete(); // a lost connection
    await pass(500);
    connections[1].observer.next(event('SNAPSHOT'));
    assert.deepEqual([first.live, second.live], [['SNAPSHOT'], ['SNAPSHOT', 'SNAPSHOT']]);
    assert.ok(connections[1].open);
    second.stop();
    assert.ok(!connections[1].open);
  });

  test('does not come back when its component leaves while it waits', async () => {
    const { client, connections } = newClient();
    const watched = watch(client);
    connections[0].observer.complete();
    watched.stop();
    await pass(20_000);
    assert.equal(connections.length, 1);
  });

  test('survives a link that responds at once', async () => {
    let requests = 0;
    const link = resumingLink().concat(new ApolloLink(() => new Observable((observer) => {
      observer.next(requests++ === 0 ? expired : event('REACHED', { final: true }));
      observer.complete();
    })));
    const watched = watch(withLive(new ApolloClient({ link, cache: new InMemoryCache() })));
    await pass(500);
    assert.deepEqual([watched.live, watched.ended, requests], [['REACHED'], true, 2]);
  });
});
