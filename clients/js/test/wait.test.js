// What waitFor does with responses; test/e2e/wait.test.js has those of a gateway.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { withToken } from 'pixgraph-client';
import { GatewayError, codeOf } from 'pixgraph-client/errors';
import { awaitTransaction, waitFor } from 'pixgraph-client/wait';
import { fakeFetch, pass, respond, settle, useClock } from './network.js';

const payment = (status, updatedAt = '2026-01-01T00:00:00Z', statusHistory = []) => ({ data: { awaitTransaction: { status, updatedAt, statusHistory } } });
const problem = (extensions) => ({ data: { awaitTransaction: null }, errors: [{ message: 'm', path: ['awaitTransaction'], extensions }] });
const rejected = (code) => ({ errors: [{ message: 'm', extensions: { code } }] });

/** Begins to wait. `end` is the status of the data, or the error. */
function begin(send, { variables, ...options } = {}) {
  const begun = { seen: [], retries: [] };
  const operation = { query: awaitTransaction, variables: { id: '1', until: ['PAID'], ...variables } };
  begun.end = waitFor('/graphql', operation, {
    fetch: send,
    onData: ({ awaitTransaction: { status } }) => begun.seen.push(status),
    onRetry: (failure) => begun.retries.push(failure),
    ...options,
  }).then((data) => data.awaitTransaction.status, (error) => error);
  return begun;
}

describe('waitFor', () => {
  beforeEach(useClock);
  afterEach(() => mock.reset());

  test('asks soon for the state, and then for changes since then', async () => {
    const send = fakeFetch(() => respond(payment('PENDING', 't1')), () => respond(payment('PENDING', 't1')), () => respond(payment('PAID', 't2')));
    const { seen, end } = begin(send);
    for (let i = 0; i < 3; i++) await pass(500);
    assert.equal(await end, 'PAID');
    assert.deepEqual(seen, ['PENDING', 'PENDING', 'PAID']);
    assert.deepEqual(send.requests.map(({ body: { variables: { since, timeoutSeconds } } }) => [since, timeoutSeconds]),
      [[undefined, 1], ['t1', 20], ['t1', 20]]);
    assert.match(send.requests[0].body.query, /awaitTransaction\(id: \$id/);
  });

  const [before, at, after] = ['2026-01-01T00:00:00', '2026-01-01T00:00:01Z', '2026-01-01T02:00:02+02:00'];
  for (const [name, since, date, reached] of [
    ['before since', at, before, false], ['at since', at, at, true], ['after since', at, after, true], ['without since', undefined, after, false],
    ['at since, without minutes of an offset', at, '2025-12-31 21:00:01-03', true], ['since such a time', '2026-01-01T00:00:01+00', at, true],
    ['at no time', at, 'yesterday', false], ['since no time', 'yesterday', at, false],
  ]) {
    test(`a status that was reached ${name} ${reached ? 'counts' : 'does not count'}`, async () => {
      const response = () => respond(payment('REFUNDED', at, [null, { status: 'PAID', date }, { status: 'REFUNDED', date: after }]));
      const { end } = begin(fakeFetch(response, () => respond(payment('PAID'))), { variables: { since } });
      await pass(500);
      assert.equal(await end, reached ? 'REFUNDED' : 'PAID');
    });
  }

  test('does not take a status that the first response had', async () => {
    const paid = { status: 'PAID', date: before };
    const first = () => respond(payment('REFUNDED', before, [paid, { status: 'REFUNDED', date: before }]));
    const send = fakeFetch(first, first, () => respond(payment('REFUNDED', at, [paid, { status: 'PAID', date: at }])));
    const { seen, end } = begin(send);
    for (let i = 0; i < 3; i++) await pass(500);
    assert.equal(await end, 'REFUNDED');
    assert.equal(seen.length, 3);
    assert.deepEqual(send.requests.map(({ body }) => body.variables.since), [undefined, '2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.001Z']);
  });

  test('waits for Retry-After, at most five minutes', async () => {
    const send = fakeFetch(() => respond('<html>', 503, { 'retry-after': '86400' }), () => respond(payment('PAID')));
    const { end } = begin(send);
    await pass(299_999);
    assert.equal(send.requests.length, 1);
    await pass(1);
    assert.equal(await end, 'PAID');
  });

  test('does not need updatedAt and statusHistory', async () => {
    const bare = () => respond({ data: { awaitTransaction: { status: 'PENDING' } } });
    const send = fakeFetch(bare, bare, () => respond({ data: { awaitTransaction: { status: 'PAID' } } }));
    const { end } = begin(send);
    for (let i = 0; i < 3; i++) await pass(500);
    assert.equal(await end, 'PAID');
    assert.equal(send.requests[2].body.variables.timeoutSeconds, 20);
  });

  test('retries what may succeed later, when the gateway says so', async () => {
    const send = fakeFetch(
      () => { throw new TypeError('Network request failed'); },
      () => respond(problem({ code: 'UPSTREAM_ERROR', retryable: true, retryAfterMs: 7000 })),
      () => respond({ errors: [{ message: '', extensions: { code: 'OVERLOADED', retryable: true } }] }, 503),
      () => respond('<html>', 503, { 'retry-after': '20' }),
      () => respond(problem({ code: 'SUBREQUEST_HTTP_ERROR' })), // of a router that has lost the gateway
      () => respond({ errors: [{ message: '', extensions: { code: 'REQUEST_RATE_LIMITED' } }] }, 429), // of a router
      () => respond(payment('PAID')),
    );
    const { retries, end } = begin(send);
    await pass(500);
    await pass(6999);
    assert.equal(send.requests.length, 2);
    await pass(1);
    assert.equal(send.requests.length, 3);
    await pass(2000);
    assert.equal(send.requests.length, 4);
    await pass(19_999);
    assert.equal(send.requests.length, 4);
    await pass(1);
    await pass(8000);
    await pass(10_000);
    assert.equal(await end, 'PAID');
    assert.equal(retries.length, 6);
  });

  test('shows a record with errors in it', async () => {
    const { data } = payment('PAID');
    assert.equal(await begin(fakeFetch(() => respond({ data, errors: [{ message: '', path: ['awaitTransaction', 'amount'] }] }))).end, 'PAID');
  });

  for (const [name, answer, check] of [
    ['the record does not exist', () => respond(problem({ code: 'NOT_FOUND' })), (error) => codeOf(error) === 'NOT_FOUND'],
    ['the document is refused', () => respond(rejected('GRAPHQL_VALIDATION_FAILED'), 400), (error) => error.message === 'm'],
    ['the token is refused', () => respond(rejected('UNAUTHENTICATED'), 401), (error) => error instanceof GatewayError],
    ['an error is null', () => respond({ errors: [null] }, 400), (error) => error instanceof GatewayError],
    ['another server responds', () => respond('<html>'), (error) => error.name === 'ResponseError' && error.status === 200],
  ]) {
    test(`fails at once if ${name}`, async () => assert.ok(check(await begin(fakeFetch(answer)).end)));
  }

  test('throws at once if a variable has no form in JSON', async () => {
    assert.match((await begin(fakeFetch(), { variables: { id: 1n } }).end).message, /BigInt/);
  });

  test('throws what its callback throws', async () => {
    const onData = () => { throw new TypeError('mistake'); };
    assert.equal((await begin(fakeFetch(() => respond(payment('PAID'))), { onData }).end).message, 'mistake');
  });

  test('asks again if there is no answer', async () => {
    const silent = () => new Promise(() => {});
    const { retries, end } = begin(fakeFetch(silent, () => respond(payment('PENDING')), silent, () => respond(payment('PAID'))));
    for (const time of [20_999, 1, 500, 500, 39_999, 1, 500]) await pass(time);
    assert.equal(await end, 'PAID');
    assert.deepEqual(retries.map(({ message }) => message), ['the connection is idle', 'the connection is idle']);
  });

  test('renews the token', async () => {
    const tokens = ['old', 'new'];
    const send = fakeFetch(() => respond(rejected('UNAUTHENTICATED'), 401), () => respond(payment('PAID')));
    assert.equal(await begin(withToken(async () => tokens.shift(), send)).end, 'PAID');
    assert.deepEqual(send.requests.map(({ headers }) => headers.get('authorization')), ['Bearer old', 'Bearer new']);
  });

  const silent = () => new Promise(() => {});
  for (const [name, answer] of [['during a request', silent], ['between requests', () => respond(payment('PENDING'))]]) {
    test(`ends at its timeout ${name}`, async () => {
      const { end } = begin(fakeFetch(answer, silent), { timeout: 300 });
      await pass(200);
      await pass(100);
      assert.equal((await end).name, 'TimeoutError');
    });
    test(`ends when its signal aborts ${name}`, async () => {
      const control = new AbortController();
      const { end } = begin(fakeFetch(answer, silent), { signal: control.signal, timeout: 10_000 });
      await settle();
      control.abort(new Error('stop'));
      assert.equal((await end).message, 'stop');
    });
  }

  test('ends at its timeout during a renewal', async () => {
    const { end } = begin(withToken(silent, fakeFetch()), { timeout: 300 });
    await pass(300);
    assert.equal((await end).name, 'TimeoutError');
  });

  test('does not begin when its signal has aborted', async () => {
    const send = fakeFetch();
    assert.equal((await begin(send, { signal: AbortSignal.abort(new Error('stop')) }).end).message, 'stop');
  });

  test('has an AbortError for signals without a reason, as those of React Native', async () => {
    const signal = Object.assign(new EventTarget(), { aborted: true });
    assert.equal((await begin(fakeFetch(silent), { signal }).end).name, 'AbortError');
  });

  test('leaves no listener and no timer', async () => {
    let listeners = 0;
    const { signal } = new AbortController();
    signal.addEventListener = () => { listeners++; };
    signal.removeEventListener = () => { listeners--; };
    await begin(fakeFetch(() => respond(payment('PAID'))), { signal, timeout: 2 ** 40 }).end;
    assert.equal(listeners, 0);
  });
});
