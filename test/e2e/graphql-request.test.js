// graphql-request: documents, variables and typed results over fetch, without a cache.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ClientError, GraphQLClient, gql } from 'graphql-request';
import { useGateway } from './suite.js';

describe('graphql-request', () => {
  const gateway = useGateway();
  let client;
  before(() => { client = new GraphQLClient(gateway.url, { headers: gateway.headers }); });

  const deposits = gql`
    query Deposits($first: Int!) {
      deposits(first: $first) { nodes { id } }
    }
  `;

  test('runs a query with GET', async () => {
    const getter = new GraphQLClient(gateway.url, { headers: gateway.headers, method: 'GET' });
    const data = await getter.request(deposits, { first: 2 });
    assert.equal(data.deposits.nodes.length, 2);
  });

  test('throws a ClientError that has the errors, the data and the request', async () => {
    await gateway.fault({ route: 'withdrawal', status: 429, header: { 'Retry-After': ['2'] } });
    const query = gql`query Both($first: Int!) { deposits(first: $first) { nodes { id } } withdrawals { totalCount } }`;
    await assert.rejects(client.request(query, { first: 1 }), (error) => {
      assert.ok(error instanceof ClientError);
      assert.equal(error.response.status, 200);
      assert.equal(error.response.data.deposits.nodes.length, 1);
      assert.equal(error.response.data.withdrawals, null);
      const [{ path, extensions }] = error.response.errors;
      assert.deepEqual(path, ['withdrawals']);
      assert.equal(extensions.code, 'RATE_LIMITED');
      assert.equal(extensions.retryAfterMs, 2000);
      assert.equal(extensions.requestId, error.response.headers.get('x-request-id'));
      assert.deepEqual(error.request.variables, { first: 1 });
      return true;
    });
  });

  test('returns data and errors together with errorPolicy all', async () => {
    await gateway.fault({ route: 'withdrawal', status: 403 });
    const all = new GraphQLClient(gateway.url, { headers: gateway.headers, errorPolicy: 'all' });
    const { data, errors } = await all.rawRequest('{ deposits { totalCount } withdrawals { totalCount } }');
    assert.ok(data.deposits.totalCount > 0);
    assert.deepEqual(errors.map(({ extensions }) => extensions.code), ['FORBIDDEN']);
  });

  // For a client that accepts application/graphql-response+json, like this one, the status already shows the refusal.
  const invalid = 'GRAPHQL_VALIDATION_FAILED';
  for (const { name, token, document, variables, status, code } of [
    { name: 'a token', document: '{ deposits { perPage } }', token: 'no.such.token', status: 401, code: 'UNAUTHENTICATED' },
    { name: 'a document', document: '{ deposits { colour } }', status: 400, code: invalid },
    { name: 'the variables', document: deposits, variables: { first: 'two' }, status: 400, code: invalid },
  ]) {
    test(`reports status and code when the gateway refuses ${name}`, async () => {
      const headers = token && { authorization: `Bearer ${token}` };
      await assert.rejects(client.request({ document, variables, requestHeaders: headers }), (error) => {
        assert.ok(error instanceof ClientError);
        assert.equal(error.response.status, status);
        assert.equal(error.response.errors[0].extensions.code, code);
        assert.equal(error.response.data, undefined);
        return true;
      });
    });
  }
});
