// The page behind a reverse proxy that serves the gateway under a path.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startGateway } from '../gateway.js';
import { launchBrowser } from './browser.js';
import { openConsole } from './console.js';
import { fullAccess } from './personas.js';
import { startProxy } from './proxy.js';

describe('under a path', () => {
  let gateway, proxy, browser, page;
  before(async () => {
    browser = await launchBrowser();
    gateway = await startGateway();
    proxy = await startProxy('/pix/', new URL(gateway.url).origin);
    page = await openConsole(browser, gateway, { at: proxy.url });
  });
  after(async () => {
    try {
      await page?.close();
    } finally {
      await browser?.close();
      await proxy?.close();
      await gateway?.stop();
    }
  });

  test('a user signs in and runs an operation', async () => {
    await page.signIn(fullAccess);
    const { data, errors } = await page.run();
    assert.equal(errors, undefined);
    assert.equal(data.deposits.nodes.length, 5);
  });

  test('completion works', async () => {
    await page.write('{ withdrawals { totalC');
    await page.page.locator('.suggest-widget .monaco-list-row', { hasText: 'totalCount' }).waitFor();
  });

  test('no request is outside the path', () => {
    assert.deepEqual(proxy.strays, []);
  });
});
