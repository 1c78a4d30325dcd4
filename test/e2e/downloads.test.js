// Downloads and stored responses, by curl and by fetch: the recipes of docs/downloads.md.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { download } from './recipes/download.js';
import { useGateway } from './suite.js';

describe('downloads', () => {
  const gateway = useGateway();
  let dir;
  before(() => { dir = mkdtempSync(join(tmpdir(), 'pixgraph-download-')); });
  after(() => rmSync(dir, { recursive: true, force: true }));

  /** Runs a recipe in the directory, and returns what it writes. */
  async function run(recipe) {
    const file = fileURLToPath(new URL(`recipes/${recipe}`, import.meta.url));
    const env = { PATH: process.env.PATH, TOKEN: gateway.token, GATEWAY: new URL(gateway.url).origin };
    return (await promisify(execFile)('sh', [file], { cwd: dir, env })).stdout.trim();
  }

  async function records() {
    const all = [];
    for await (const record of download(gateway.url, gateway.token, '{ deposits { nodes { id amount createdAt } } }')) all.push(record);
    return all;
  }

  test('curl stores CSV, which has the values of the records', async () => {
    assert.match(await run('download.sh'), /^X-Pixgraph-Complete: true$/i);
    const text = readFileSync(join(dir, 'deposits.csv'), 'utf8');
    assert.ok(text.startsWith('\ufeffid,amount,createdAt,payer.name\r\n'));
    const all = await records();
    assert.ok(all.length > 100, 'more than one page');
    const rows = text.trimEnd().split('\r\n').slice(1);
    // No cell of these needs quotes.
    assert.deepEqual(rows.map((row) => row.split(',').slice(0, 3).join()), all.map((record) => Object.values(record).join()));
  });

  test('curl fails for a file that is not the whole list', async () => {
    await gateway.fault({ route: 'deposit', status: 403, after: 1 });
    await assert.rejects(run('download.sh'), { code: 18 }); // curl's code for a transfer that was cut
    assert.equal(readFileSync(join(dir, 'deposits.csv'), 'utf8').split('\r\n').length, 1 + 100 + 1);
    await gateway.heal();
    await gateway.fault({ route: 'deposit', status: 403, after: 1 });
    await assert.rejects(records(), /not the whole list: PAGE_FAILED/);
  });

  test('curl gets a 304 for a page that it has', async () => {
    assert.equal(await run('revalidate.sh'), '200');
    const page = readFileSync(join(dir, 'page.json'), 'utf8');
    assert.equal(await run('revalidate.sh'), '304');
    assert.equal(readFileSync(join(dir, 'page.json'), 'utf8'), page);
  });
});
