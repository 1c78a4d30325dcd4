// gql.tada, over the documents in tada/: its command line writes the types, the compiler checks them, and the result runs.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { GraphQLClient } from 'graphql-request';
import { run } from './run.js';
import { useGateway } from './suite.js';

const here = new URL('.', import.meta.url);

const gateway = useGateway();

test('types documents without generated code', async () => {
  await writeFile(new URL('tada/schema.graphql', here), await (await fetch(gateway.schemaURL)).text());
  run('gql.tada', ['generate-output', '-c', 'tada/tsconfig.json']);
  run('tsc', ['-p', 'tada']);
  const { paidAmounts } = await import(new URL('out/tada/deposits.js', here));
  const client = new GraphQLClient(gateway.url, { headers: gateway.headers });
  const { data } = await gateway.query('{ deposits(first: 5, filter: { status: [PAID] }) { nodes { amount } } }');
  assert.equal(data.deposits.nodes.length, 5);
  assert.deepEqual(await paidAmounts(client, 5), data.deposits.nodes.map(({ amount }) => amount));
});
