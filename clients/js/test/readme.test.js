// The examples of README.md: their types are checked, in files of their own.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const project = new URL('../', import.meta.url);
const out = new URL('out/', import.meta.url);

/** What the examples use of an application. */
const application = `
import type { Fetch } from 'pixgraph-client';
import type { TypedDocumentNode } from '@apollo/client';
declare global {
  const id: string, until: string[], query: string, send: Fetch;
  const result: { data?: { deposits: number; withdrawals: number } };
  const deposit: { amount: number }, summary: { amount: string };
  const renew: () => Promise<string>;
  const watch: TypedDocumentNode<{ transaction: { status: string } | null }, { id: string; until: string[] }>;
  function show(...values: unknown[]): void;
}
`;
const imports = "import { useSubscription } from '@apollo/client/react';\nimport { liveOf } from 'pixgraph-client/apollo';\n"; // of the page with React

test('the examples of README.md are correct', async () => {
  const text = await readFile(new URL('README.md', project), 'utf8');
  const examples = [...text.matchAll(/^```(tsx?)\n(.*?)^```$/gms)];
  assert.ok(examples.length >= 9);
  await rm(out, { recursive: true, force: true });
  await mkdir(out);
  await writeFile(new URL('application.ts', out), application);
  for (const [i, [, type, code]] of examples.entries()) {
    await writeFile(new URL(`example${i}.ts`, out), type === 'tsx' ? `${imports}${code}show(live);` : `${code}export {};`);
  }
  const config = { extends: '../tsconfig.json', compilerOptions: { rootDir: '../..', noUnusedLocals: false }, include: ['*.ts'] };
  await writeFile(new URL('tsconfig.json', out), JSON.stringify(config));
  const compiler = fileURLToPath(new URL('node_modules/.bin/tsc', project));
  const { status, stdout } = spawnSync(compiler, ['-p', fileURLToPath(out)], { cwd: fileURLToPath(project), encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});
