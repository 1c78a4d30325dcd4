// genqlient, a generator of clients in Go: its code with the bindings of docs/clients.md, over HTTP and over a WebSocket, and its
// exported operations as a manifest.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startGateway } from './gateway.js';
import { useGateway } from './suite.js';

const out = new URL('out/genqlient/', import.meta.url);

/** Runs the go command in the module. */
function go(args, variables = {}) {
  const cwd = fileURLToPath(new URL('genqlient/', import.meta.url));
  const { status, stdout, stderr } = spawnSync('go', args, { cwd, encoding: 'utf8', env: { ...process.env, GOFLAGS: '', ...variables } });
  assert.equal(status, 0, `go ${args.join(' ')}:\n${stdout}${stderr}`);
  return stdout;
}

describe('genqlient', () => {
  const gateway = useGateway();
  before(async () => {
    await rm(out, { recursive: true, force: true });
    await mkdir(out, { recursive: true });
    await writeFile(new URL('schema.graphql', out), await (await fetch(gateway.schemaURL)).text());
    go(['tool', 'genqlient', 'genqlient.yaml']);
  });

  /** Runs the program, and compares what it has seen with queries by fetch. */
  async function wantProgram({ url, token, query }) {
    const seen = JSON.parse(go(['run', '.'], { GATEWAY: url, TOKEN: token }));
    const { data: { deposits: { nodes } } } = await query('{ deposits(first: 3, filter: { minAmount: 2 }) { nodes { id amount } } }');
    const { data: { transaction } } = await query(`{ transaction(id: "${nodes[0].id}") { status amount metadata } }`);
    assert.deepEqual(seen, {
      amounts: nodes.map(({ amount }) => amount), amount: transaction.amount, metadata: transaction.metadata, event: transaction.status,
      live: seen.live, code: 'NOT_FOUND',
    });
    assert.equal(seen.live.reason, 'SNAPSHOT');
  }

  test('its code reads amounts, metadata, errors and events', () => wantProgram({
    url: gateway.url, token: gateway.token, query: (text) => gateway.query(text),
  }));

  test('its exported operations are a manifest', async () => {
    const manifest = fileURLToPath(new URL('operations.json', out));
    assert.equal(JSON.parse(await readFile(manifest, 'utf8')).operations.length, 3);
    const only = await startGateway(`--persisted-manifest=${manifest}`, '--persisted-only=on');
    try {
      await wantProgram({ url: only.url, token: only.token, query: (text) => gateway.query(text) });
      const { errors } = await only.query('{ deposits { totalCount } }');
      assert.equal(errors[0].extensions.code, 'DOCUMENT_NOT_TRUSTED');
    } finally {
      await only.stop();
    }
  });
});
