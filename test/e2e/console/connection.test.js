// What the page shows when the gateway or the issuer does not respond, when the token is refused, and after a restart.

import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { useGateway } from '../suite.js';
import { fullAccess } from './personas.js';
import { startProxy } from './proxy.js';
import { screens } from './screens.js';
import { useConsole } from './suite.js';
import { endLongTimers } from './timers.js';

describe('a problem is described in plain words', () => {
  const { gateway, openPage } = useConsole();
  const other = useGateway();
  let proxy, page;
  afterEach(async () => {
    await proxy?.close();
    proxy = undefined;
  });

  /** Opens the page behind a proxy, which the test can let fail. */
  const openBehindProxy = async (options) => {
    proxy = await startProxy('/', new URL(gateway.url).origin);
    page = await openPage({ at: proxy.url, ...options });
    await page.paste(gateway.token);
  };

  for (const viewport of screens) {
    test(`the gateway is down and returns, at ${viewport.width}`, async () => {
      await openBehindProxy({ viewport });
      proxy.respond = (response) => response.destroy();
      page.watch.expect(/ERR_EMPTY_RESPONSE/);
      await page.execute();
      await page.banner.getByText('The gateway does not respond.').waitFor();
      await page.page.locator('.graphiql-response').getByText('The gateway does not respond').waitFor();
      assert.doesNotMatch(await page.shownAnswer(), /stack|assets|\.js/);
      const { width } = await page.banner.boundingBox();
      assert.ok(width <= viewport.width);
      proxy.respond = null;
      await page.banner.getByText('The gateway responds again.').waitFor();
      await page.showPane('Query');
      assert.equal((await page.run()).errors, undefined);
      await page.banner.waitFor({ state: 'detached' });
    });
  }

  test('a proxy responds instead of the gateway', async () => {
    await openBehindProxy();
    proxy.respond = (response) => response.writeHead(502).end('<h1>Bad Gateway</h1>');
    page.watch.expect(/status of 502/);
    await page.execute();
    await page.banner.getByText('responded with status 502').waitFor();
    proxy.respond = null;
    await page.banner.getByText('The gateway responds again.').waitFor();
    await page.banner.getByRole('button', { name: 'Dismiss' }).click();
    await page.banner.waitFor({ state: 'detached' });
  });

  test('the connection ends in the middle of a response', async () => {
    await openBehindProxy();
    proxy.respond = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"data":', () => response.destroy());
    };
    page.watch.expect(/ERR_CONTENT_LENGTH_MISMATCH|ERR_INCOMPLETE|ERR_CONNECTION/);
    await page.execute();
    await page.page.locator('.graphiql-response').getByText('The gateway does not respond').waitFor();
    assert.doesNotMatch(await page.shownAnswer(), /stack/);
    proxy.respond = null;
    await page.banner.getByText('The gateway responds again.').waitFor();
  });

  test('the gateway was restarted with another configuration', async () => {
    await openBehindProxy();
    proxy.respond = (response) => response.destroy();
    page.watch.expect(/ERR_EMPTY_RESPONSE/);
    await page.execute();
    await page.banner.getByText('The gateway does not respond.').waitFor();
    const changed = (await (await fetch(gateway.consoleURL)).text()).replace('"trace":true', '"trace":false');
    proxy.respond = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(changed);
    await page.banner.getByText('another version or configuration').waitFor();
    proxy.respond = null;
    await page.watch.leave(() => page.banner.getByRole('button', { name: 'Reload the page' }).click());
    await page.page.getByText('No token').or(page.page.getByText('Not signed in.')).waitFor();
    await page.banner.waitFor({ state: 'detached' });
  });

  for (const [problem, fail, error] of [
    ['is lost', (route) => route.abort(), /ERR_FAILED/],
    ['is that of a proxy', (route) => route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' }), /status of 502/],
  ]) {
    test(`the schema is loaded again if its response ${problem}`, async () => {
      page = await openPage();
      page.watch.expect(error);
      await page.context.route('**/schema.graphql', fail, { times: 1 });
      await page.reload();
      await page.banner.getByText('The gateway responds again.').waitFor();
      await page.show('Explorer');
      await page.page.getByRole('checkbox', { name: 'withdrawals', exact: true }).waitFor();
    });
  }

  test('the editor cannot be loaded', async () => {
    page = await openPage();
    page.watch.expect(/ERR_FAILED|^exception: $/);
    await page.context.route('**/monaco-editor-*.js', (route) => route.abort());
    await page.reload();
    await page.banner.getByText('A part of the page could not be loaded.').waitFor();
    await page.context.unroute('**/monaco-editor-*.js');
    await page.watch.leave(() => page.banner.getByRole('button', { name: 'Reload the page' }).click());
    await page.editor.locator('.view-line').first().waitFor();
    assert.equal(await page.banner.count(), 0);
  });

  test('the token is refused, and another one is accepted', async () => {
    page = await openPage();
    await page.paste(other.token);
    page.watch.expect(/status of 401/);
    await page.execute();
    await page.banner.getByText('The token was refused: ').waitFor();
    assert.match(await page.banner.innerText(), /Sign in again, or paste another one\./);
    assert.doesNotMatch(await page.banner.innerText(), /eyJ/);
    await page.page.getByRole('button', { name: 'Sign in again' }).waitFor();
    await page.paste(gateway.token);
    await page.banner.waitFor({ state: 'detached' });
    assert.equal((await page.run()).errors, undefined);
  });

  test('a header that a request cannot have is named, without a stack', async () => {
    page = await openPage();
    await page.paste(gateway.token);
    await page.page.getByRole('button', { name: 'Headers' }).click();
    await page.writeVariables({ 'not a name': '1' });
    await page.execute();
    await page.page.locator('.graphiql-response').getByText('is not allowed in a request').waitFor();
    assert.doesNotMatch(await page.shownAnswer(), /stack/);
  });

  test('a window of an issuer that is down closes', async () => {
    page = await openPage();
    await page.signIn(fullAccess); // the page knows the issuer's endpoints from now on
    await page.page.locator('.console-sign-out').click();
    page.watch.expect(/openid-configuration/);
    await page.context.route('**/.well-known/openid-configuration', (route) => route.abort());
    const opened = page.context.waitForEvent('page');
    await page.page.locator('.console-sign-in').click();
    const window = await opened;
    if (!window.isClosed()) await window.waitForEvent('close');
    await page.banner.getByText('The issuer cannot be reached').waitFor();
    await page.context.unroute('**/.well-known/openid-configuration');
    await page.signIn(fullAccess);
    await page.banner.waitFor({ state: 'detached' });
  });

  test('a window that the user closes ends the sign-in', async () => {
    page = await openPage();
    page.watch.allowIssuer(gateway.issuerURL);
    const opened = page.context.waitForEvent('page');
    await page.page.locator('.console-sign-in').click();
    const window = await opened;
    await window.locator(`button[value="${fullAccess}"]`).waitFor();
    await page.page.getByText('Continue in the window of the issuer.').waitFor();
    await window.close();
    await page.page.getByText('Not signed in.').waitFor();
    await endLongTimers(page.page); // including the one that limits how long the page waits
    await page.page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    assert.equal(await page.banner.count(), 0);
  });

  test('an issuer that does not respond in time is named', async () => {
    page = await openPage();
    page.watch.allowIssuer(gateway.issuerURL);
    const opened = page.context.waitForEvent('page');
    await page.page.locator('.console-sign-in').click();
    const window = await opened;
    await window.locator(`button[value="${fullAccess}"]`).waitFor();
    await endLongTimers(page.page);
    await page.banner.getByText('The issuer did not respond in time.').waitFor();
    await window.close();
  });
});
