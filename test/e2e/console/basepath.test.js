// The page behind a reverse proxy that serves the gateway under a path.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fullAccess } from './personas.js';
import { startProxy } from './proxy.js';
import { useConsole } from './suite.js';

describe('under a path', () => {
  const { gateway, openPage } = useConsole();
  let proxy;
  before(async () => { proxy = await startProxy('/pix/', new URL(gateway.url).origin); });
  after(() => proxy.close());

  test('a user signs in, runs an operation and completes another, without a request outside the path', async () => {
    const page = await openPage({ at: proxy.url });
    await page.signIn(fullAccess);
    const { data, errors } = await page.run();
    assert.equal(errors, undefined);
    assert.equal(data.deposits.nodes.length, 5);
    await page.write('{ withdrawals { totalC');
    await page.suggest('totalCount');
    assert.deepEqual(proxy.strays, []);
  });
});
