// @defer with real clients, under Node and in a page of another origin: they show a payment while the dispatcher hangs,
// and its notifications when they come.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildHTTPExecutor } from '@graphql-tools/executor-http';
import { parse } from 'graphql';
import { build } from 'vite';
import { launchBrowser } from '../console/browser.js';
import { useGateway } from '../suite.js';
import { clients, payment } from './clients.js';

describe('@defer', () => {
  const gateway = useGateway();
  let browser;
  let server;
  let origin;
  before(async () => {
    const [{ output }] = await build({
      configFile: false, logLevel: 'error',
      build: { write: false, minify: false, lib: { entry: fileURLToPath(new URL('clients.js', import.meta.url)), formats: ['iife'], name: 'deferred' } },
      define: { 'process.env.NODE_ENV': '"production"' },
    });
    const page = `<!doctype html><title>clients</title><script>${output[0].code.replaceAll('</script', '<\\/script')}</script>`;
    server = createServer((request, response) => response.setHeader('content-type', 'text/html').end(page)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${server.address().port}`;
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  /** Runs a client, and ends the fault when it shows the first part. */
  async function wantParts(run) {
    const [{ id }] = await gateway.transactions(1);
    await gateway.fault({ service: 'dispatcher', kind: 'hang' });
    const shown = [];
    let healed;
    await run(gateway.url, gateway.token, id, (data) => {
      shown.push(data);
      healed ??= gateway.heal();
    });
    await healed;
    const [first] = shown;
    const last = shown.at(-1);
    assert.equal(first.transaction.id, id);
    assert.equal(first.transaction.notifications, undefined);
    assert.equal(last.transaction.id, id);
    assert.ok(last.transaction.notifications.nodes.length > 0);
    assert.equal(new URL(last.transaction.notifications.nodes[0].url).protocol, 'https:');
  }

  for (const [name, run] of Object.entries(clients)) {
    test(`${name}, under Node`, () => wantParts(run));

    test(`${name}, in Chromium`, async () => {
      const page = await browser.newPage();
      await wantParts(async (url, token, id, show) => {
        await page.exposeFunction('show', show);
        await page.goto(origin);
        await page.evaluate((given) => globalThis.deferred.clients[given.name](given.url, given.token, given.id, globalThis.show), { name, url, token, id });
      });
      await page.close();
    });
  }

  // It would merge parts of version 0.2 into the root of the data. Mesh and Hive Gateway in proxy mode use it.
  test('the executor of graphql-tools gets one response', async () => {
    const [{ id }] = await gateway.transactions(1);
    const execute = buildHTTPExecutor({ endpoint: gateway.url, headers: { authorization: `Bearer ${gateway.token}` } });
    const { data, errors } = await execute({ document: parse(payment), variables: { id } });
    assert.equal(errors, undefined);
    assert.deepEqual(Object.keys(data), ['transaction']);
    assert.ok(data.transaction.notifications.nodes.length > 0);
    await execute[Symbol.asyncDispose]();
  });
});
