// Errors in all forms; those of real clients are in test/e2e/errors.test.js.

import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { GatewayError, codeOf, errorsOf, isRetryable, partsOf, retryAfterMs, upstreamStatus } from 'pixgraph-client/errors';
import { respond } from './network.js';

const failed = { message: 'm', path: ['deposits', 0], extensions: { code: 'UPSTREAM_ERROR', retryable: true, upstreamStatus: 503, retryAfterMs: 2000 } };
const missing = { message: 'n', path: ['transaction'], extensions: { code: 'NOT_FOUND', retryable: false } };

describe('an error', () => {
  for (const [name, thrown] of Object.entries({
    'an entry': failed,
    'a list': [failed],
    'a response': { data: null, errors: [failed] },
    "Apollo's ServerError": Object.assign(new Error(), { bodyText: JSON.stringify({ errors: [failed] }) }),
    "graphql-request's ClientError": Object.assign(new Error(), { response: { errors: [failed] } }),
    "Relay's": Object.assign(new Error(), { source: { errors: [failed] } }),
    "urql's CombinedError": Object.assign(new Error(), { graphQLErrors: [failed], response: {} }),
    GatewayError: new GatewayError([failed]),
  })) {
    test(`in the form of ${name}`, () => {
      assert.deepEqual(errorsOf(thrown), [failed]);
      assert.deepEqual([codeOf(thrown), isRetryable(thrown), upstreamStatus(thrown), retryAfterMs(thrown)], ['UPSTREAM_ERROR', true, 503, 2000]);
    });
  }

  for (const thrown of [undefined, null, 'text', 5, {}, [], new TypeError('fetch failed'), new AggregateError([]), { bodyText: '<html>' },
    { bodyText: 'null' }, { response: { errors: 'text' } }, { extensions: {} }, { errors: [null] }, { retryAfterMs: 'soon' }]) {
    test(`that is not the gateway's: ${JSON.stringify(thrown)}`, () => {
      assert.deepEqual(errorsOf(thrown), []);
      assert.deepEqual([codeOf(thrown), isRetryable(thrown), upstreamStatus(thrown), retryAfterMs(thrown)], [undefined, false, undefined, 0]);
    });
  }

  for (const [after, seconds] of [['20', 20], [' 20 ', 20], ['Thu, 01 Jan 1970 00:01:00 GMT', 60], ['Thursday, 01-Jan-70 00:01:00 GMT', 60],
    ['Thu, 01 Jan 1960 00:00:00 GMT', 0], ['32.5', 0], ['2.0', 0], ['3600.5', 0], ['5, 7', 0], ['-5', 0], ['Thu', 0], ['2099-01-01', 0], ['', 0]]) {
    test(`of a response with Retry-After: ${after}`, () => {
      mock.timers.enable({ apis: ['Date'] }); // at the beginning of 1970
      assert.equal(retryAfterMs({ response: respond({}, 503, { 'retry-after': after }) }), seconds * 1000);
      mock.reset();
    });
  }

  test("in the form of Relay's @catch, without a message", () => assert.equal(codeOf([{ path: ['a'], extensions: { code: 'FORBIDDEN' } }]), 'FORBIDDEN'));

  test('with a code of a later gateway is INTERNAL', () => assert.equal(codeOf({ message: '', extensions: { code: 'NEW' } }), 'INTERNAL'));
});

describe('partsOf', () => {
  const data = { deposits: null, transaction: null };

  test('has the first code of each field', () => {
    const again = { ...failed, extensions: { code: 'RATE_LIMITED' } };
    assert.deepEqual(partsOf({ data, errors: [failed, again, missing] }), { data, problems: { deposits: 'UPSTREAM_ERROR', transaction: 'NOT_FOUND' } });
    assert.deepEqual(partsOf({ data, error: { errors: [missing] } }).problems, { transaction: 'NOT_FOUND' });
    assert.deepEqual(partsOf({ data }), { data, problems: {} });
  });

  test('has that of a field with the name of a member of every object', () => {
    assert.equal(partsOf({ data: { constructor: null }, errors: [{ ...failed, path: ['constructor'] }] }).problems.constructor, 'UPSTREAM_ERROR');
  });

  test('has an error without a path for every field', () => {
    const { problems } = partsOf({ data, errors: [{ message: 'm', extensions: { code: 'INTERNAL' } }] });
    assert.deepEqual(problems, { deposits: 'INTERNAL', transaction: 'INTERNAL' });
  });

  test('throws if a lost connection left what a cache had', () => {
    const lost = new TypeError('fetch failed');
    assert.throws(() => partsOf({ data, error: lost }), (error) => error === lost);
    assert.throws(() => partsOf({ data, error: { graphQLErrors: [], networkError: lost } }), (error) => error.networkError === lost);
  });

  test('throws without data', () => {
    assert.throws(() => partsOf({ data: null, errors: [missing] }), (error) => error instanceof GatewayError && error.message === 'n');
    const lost = new TypeError('fetch failed');
    assert.throws(() => partsOf({ error: lost }), (error) => error === lost);
    assert.throws(() => partsOf({}), GatewayError);
  });
});
