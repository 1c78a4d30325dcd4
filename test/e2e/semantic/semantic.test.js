// @semanticNonNull with the generators that know it.

import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { run } from '../run.js';
import { useGateway } from '../suite.js';

const out = new URL('../out/semantic/', import.meta.url);
const written = (path) => readFile(new URL(path, out), 'utf8');

describe('@semanticNonNull: only what may be null without an error is nullable', () => {
  const gateway = useGateway();
  before(async () => {
    await rm(out, { recursive: true, force: true });
    await mkdir(new URL('relay/', out), { recursive: true });
    await writeFile(new URL('schema.graphql', out), await (await fetch(gateway.schemaURL)).text());
  });

  test('graphql-codegen, with nullability.errorHandlingClient', async () => {
    run('graphql-codegen', ['--config', 'semantic/codegen.ts'], { GATEWAY: new URL(gateway.url).origin });
    const { 1: type } = /export type PaymentQuery = (.*);/.exec(await written('graphql.ts'));
    assert.equal(type, '{ transaction: { id: string, amountPaid: number | null, statusHistory: Array<{ status: TransactionStatus }> }, '
      + 'transactions: Array<{ id: string }>, deposits: { nodes: Array<{ id: string }> } }');
  });

  test('Relay, with @throwOnFieldError', async () => {
    run('relay-compiler', ['semantic/relay.config.json']);
    const artifact = await written('relay/PaymentQuery.graphql.ts');
    const { 1: type } = /PaymentQuery\$data = ({.*?\n});/s.exec(artifact);
    assert.equal(type.replaceAll(/\s+/g, ' '), '{ readonly transaction: { readonly amountPaid: number | null | undefined; readonly id: string; }; '
      + 'readonly transactions: ReadonlyArray<{ readonly id: string; }>; }');
  });
});
