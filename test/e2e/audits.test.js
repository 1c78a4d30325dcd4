// The audits of the GraphQL over HTTP specification, by its reference implementation (npm graphql-http).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serverAudits } from 'graphql-http';
import { useGateway } from './suite.js';

/** The audits of a gateway, with a token in each of their requests. */
function auditsOf(gateway) {
  const fetchFn = (url, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('Authorization', gateway.headers.authorization);
    return fetch(url, { ...init, headers });
  };
  // The gateway's URL is known only after its start, which is after the tests were defined.
  return serverAudits({ url: () => gateway.url, fetchFn });
}

describe('the audits', () => {
  const gateway = useGateway();
  const audits = auditsOf(gateway);

  test('are complete', () => assert.equal(audits.length, 61));

  for (const { id, name, fn } of audits) {
    test(`${id} ${name}`, async () => {
      const result = await fn();
      assert.equal(result.status, 'ok', result.reason); // not 'notice', 'warn' or 'error'
    });
  }
});

describe('introspection off', () => {
  const gateway = useGateway('--introspection=off');

  test('fails the audits that ask for __type, and no others', async () => {
    const bad = [];
    for (const { id, fn } of auditsOf(gateway)) {
      const { status } = await fn();
      if (status !== 'ok') bad.push(id);
    }
    assert.deepEqual(bad, ['28B9', 'D6D5', '6A70']);
  });

  test('hides the schema', async () => {
    for (const query of ['{ __schema { types { name } } }', '{ __type(name: "Deposit") { name } }']) {
      const { data, errors } = await gateway.query(query);
      assert.ok(!data?.__schema && !data?.__type);
      assert.equal(errors.length, 1);
      assert.equal(errors[0].extensions.code, 'FORBIDDEN');
    }
    assert.equal((await fetch(gateway.schemaURL)).status, 404);
  });
});
