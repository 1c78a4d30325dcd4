// What graphql-sse does with answers that are no streams. test/e2e/streams.js has the streams of a gateway.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { TokenError, withToken } from 'pixgraph-client';
import { newClient } from 'pixgraph-client/sse';
import { EventStream, fakeFetch, pass, respond, settle, useClock } from './network.js';

const rejected = (code, extensions) => ({ errors: [{ message: 'm', extensions: { code, ...extensions } }] });
const reached = { data: { transaction: { status: 'PAID' } }, extensions: { live: { reason: 'REACHED', final: true } } };

/** Subscribes. `end` is the error, or undefined. */
function watch(send, query = 'subscription') {
  const watched = { results: [] };
  watched.end = new Promise((resolve) => {
    newClient('/graphql', send).subscribe({ query, variables: { until: ['PAID'] } }, {
      next: (result) => watched.results.push(result), error: resolve, complete: resolve,
    });
  });
  return watched;
}

describe('a subscription of graphql-sse', () => {
  beforeEach(useClock);
  afterEach(() => mock.reset());

  for (const [name, refusal] of [
    ['the gateway', () => respond(rejected('RATE_LIMITED', { retryable: true, retryAfterMs: 60_000 }), 429)],
    ['a proxy', () => respond('<html>', 503, { 'retry-after': '60' })],
  ]) {
    test(`waits as long as ${name} says`, async () => {
      const stream = new EventStream();
      const send = fakeFetch(refusal, () => stream.response);
      const { results, end } = watch(send);
      await pass(59_999);
      assert.equal(send.requests.length, 1);
      await pass(1);
      stream.event(reached);
      assert.equal(await end, undefined);
      assert.deepEqual(results, [reached]);
    });
  }

  for (const [name, answer, status] of [['403', () => respond('<html>', 403), 403], ['200', () => respond('<html>'), 200]]) {
    test(`ends with an error after a page with the status ${name}`, async () => {
      const send = fakeFetch(answer);
      const { end } = watch(send);
      await settle();
      assert.equal((await end).status, status);
      assert.equal(send.requests.length, 1);
    });
  }

  for (const [name, answer, ended] of [
    ['end if it cannot be renewed', () => { throw new TokenError('signed out'); }, Array(3).fill('signed out')],
    ['wait as long as a proxy says', () => respond('<html>', 503, { 'retry-after': '60' }), []],
  ]) {
    test(`and others that wait for the same token ${name}`, async () => {
      const send = fakeFetch(answer, answer, answer);
      const client = newClient('/graphql', send);
      const errors = [];
      for (let i = 0; i < 3; i++) {
        client.subscribe({ query: 'subscription' }, { next() {}, error: (error) => errors.push(error.message), complete() {} });
      }
      await pass(59_999);
      assert.deepEqual([errors, send.requests.length], [ended, 3]);
    });
  }

  for (const query of ['subscription A { a }', 'fragment F on T { a { b } } subscription { ...F }', '# a {\nsubscription($a: String = "}") { a }']) {
    test(`continues where a router that drops extensions completes it: ${JSON.stringify(query)}`, async () => {
      const streams = [new EventStream(), new EventStream()];
      const { results, end } = watch(fakeFetch(...streams.map(({ response }) => () => response)), query);
      for (const [i, status] of ['PENDING', 'PAID'].entries()) {
        streams[i].event({ data: { transaction: { status } } });
        streams[i].send('event: complete\ndata:\n\n');
        await pass(500);
      }
      assert.equal(await end, undefined);
      assert.deepEqual(results.map(({ data }) => data.transaction.status), ['PENDING', 'PAID']);
    });
  }

  test('of a query ends when it is completed', async () => {
    const stream = new EventStream();
    const failed = { data: { a: null }, errors: [{ message: '', extensions: { code: 'UNAUTHENTICATED' } }] };
    const { results, end } = watch(fakeFetch(() => stream.response), '{ a(text: "subscription") { subscription } }');
    stream.event(failed);
    stream.send('event: complete\ndata:\n\n');
    assert.equal(await end, undefined);
    assert.deepEqual(results, [failed]);
  });

  for (const [code, status] of [['UNAUTHENTICATED', 401], ['BAD_REQUEST', 400]]) {
    test(`ends with the refusal ${code}`, async () => {
      const tokens = ['a', 'b'];
      const answer = () => respond(rejected(code), status);
      const send = fakeFetch(answer, ...(status === 401 ? [answer] : []));
      const { results, end } = watch(withToken(async () => tokens.shift(), send));
      assert.equal(await end, undefined);
      assert.deepEqual(results, [rejected(code)]);
    });
  }
});
