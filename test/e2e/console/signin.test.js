// Signing in: with the issuer's window, silently, and with a pasted token; and where the token is stored.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startGateway } from '../gateway.js';
import { launchBrowser } from './browser.js';
import { openConsole } from './console.js';
import { expiresSoon, fullAccess, withoutDispatcher } from './personas.js';
import { phone } from './screens.js';
import { useConsole } from './suite.js';
import { endLongTimers } from './timers.js';

describe('signing in', () => {
  const { gateway, openPage } = useConsole();
  let page;

  /** What the tab stores across a reload. */
  const kept = () => page.page.evaluate(() => JSON.stringify(sessionStorage));

  test('uses code and PKCE', async () => {
    page = await openPage();
    await page.signIn(fullAccess);
    const asked = page.watch.requests.map((request) => new URL(request.url())).find(({ pathname }) => pathname === '/sandbox/issuer/authorize');
    assert.equal(asked.searchParams.get('response_type'), 'code');
    assert.equal(asked.searchParams.get('code_challenge_method'), 'S256');
    assert.ok(asked.searchParams.get('state').length >= 22 && asked.searchParams.get('nonce').length >= 22);
    assert.equal(await page.page.locator('.console-subject').innerText(), 'sandbox-full');
    assert.equal(await page.page.locator('.console-scopes').innerText(), 'get_dispatcher');
    const { data, errors } = await page.run();
    assert.equal(errors, undefined);
    assert.equal(data.deposits.nodes.length, 5);
  });

  test('keeps the tabs unchanged', async () => {
    page = await openPage();
    await page.write('{ deposits(first: 3) { totalCount } }');
    await page.signIn(fullAccess);
    await page.editor.getByText('first: 3').waitFor();
  });

  test('without the scope returns the other fields, and an error that names the scope', async () => {
    page = await openPage();
    await page.signIn(withoutDispatcher);
    await page.openOperation('Partial failure');
    const card = page.page.locator('.console-operations > li', { hasText: 'Partial failure' });
    await card.getByText('get_dispatcher').first().waitFor();
    assert.notEqual(await card.getByLabel('Transaction id').inputValue(), ''); // found, unlike the notification
    await card.getByLabel('Notification id').fill('any');
    await page.page.keyboard.press('Enter');
    await page.page.locator('.graphiql-tab-active', { hasText: 'PartialFailure' }).waitFor();
    const { data, errors } = await page.run();
    assert.ok(data.transactions[0].id && data.withdrawals.nodes.length > 0);
    assert.equal(data.notification, null);
    const denied = errors.find(({ path }) => path.join('.') === 'notification');
    assert.equal(denied.extensions.code, 'FORBIDDEN');
    await page.page.locator('.graphiql-response').getByText('get_dispatcher').first().waitFor();
  });

  test('renews the token silently before it expires', async () => {
    page = await openPage();
    await page.signIn(expiresSoon);
    const tokens = sentTokens(page);
    await page.run();
    const renewed = page.page.waitForResponse((response) => response.url().endsWith('/token'));
    await endLongTimers(page.page); // including the one for the token's renewal
    assert.equal((await renewed).status(), 200);
    const { errors } = await page.run();
    assert.equal(errors, undefined);
    assert.equal(new Set(tokens).size, 2);
    assert.equal(page.context.pages().length, 1, 'no window was opened');
  });

  test('renews the token silently when the gateway refuses it', async () => {
    page = await openPage();
    await page.signIn(fullAccess);
    // The page's clock may be wrong, or the token revoked: here the first request has an expired token.
    const expired = await gateway.mint({ ttl: -60 });
    await page.context.route(gateway.url, (route) => {
      return route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${expired}` } });
    }, { times: 1 });
    page.watch.expect(/status of 401/);
    const { status, errors } = await page.run();
    assert.equal(status, 200);
    assert.equal(errors, undefined);
    await page.page.locator('.graphiql-response').getByText('"data"').waitFor();
  });

  test('is required again when the session at the issuer has ended, and edits are kept', async () => {
    page = await openPage();
    await page.signIn(expiresSoon);
    await page.write('{ withdrawals(first: 7) { totalCount } }');
    await page.context.clearCookies();
    await endLongTimers(page.page);
    await page.page.getByText('The session has ended').waitFor();
    await page.editor.getByText('first: 7').waitFor();
    await page.signIn(fullAccess);
    const { data } = await page.run();
    assert.ok(data.withdrawals.totalCount > 0);
  });

  test('shows on a phone, in two lines at most, that the session has ended', async () => {
    page = await openPage({ viewport: phone });
    await page.signIn(fullAccess);
    await page.context.clearCookies();
    await endLongTimers(page.page);
    await page.page.getByText('The session has ended').waitFor();
    const { height } = await page.page.getByText('The session has ended').boundingBox();
    assert.ok(height < 60, `the notice is ${height} high`);
  });

  test('is repeated silently after a reload, and stores no token in the tab', async () => {
    page = await openPage();
    await page.signIn(fullAccess);
    assert.doesNotMatch(await kept(), /eyJ/);
    await page.reload();
    await page.page.locator('.console-who').waitFor();
    assert.doesNotMatch(await kept(), /eyJ/);
    assert.equal((await page.run()).errors, undefined);
  });

  test('stores the token in the tab if the user wants that', async () => {
    page = await openPage();
    await page.paste(gateway.token);
    await page.page.locator('.console-keep input').check();
    assert.match(await kept(), /eyJ/);
    await page.reload();
    await page.page.locator('.console-who').waitFor();
    assert.equal((await page.run()).errors, undefined);
    await page.page.locator('.console-keep input').uncheck();
    assert.doesNotMatch(await kept(), /eyJ/);
  });

  test('accepts a pasted token, and says why an invalid one is refused', async () => {
    page = await openPage();
    await page.paste('not.a.token');
    await page.page.getByRole('alert').getByText('not a JWT').waitFor();
    await page.page.getByRole('button', { name: 'Cancel' }).click();
    await page.page.locator('.console-paste').click();
    assert.equal(await page.page.locator('#console-token').inputValue(), '', 'the next user may be another one');
    await page.page.getByRole('button', { name: 'Cancel' }).click();
    await page.paste(`Bearer ${gateway.token}`);
    await page.page.locator('.console-who').waitFor();
    const { data } = await page.run();
    assert.equal(data.deposits.nodes.length, 5);
  });

  test('ends with signing out', async () => {
    page = await openPage();
    await page.signIn(fullAccess);
    await page.page.locator('.console-sign-out').click();
    await page.page.locator('.console-who').waitFor({ state: 'detached' });
    await page.execute();
    await page.page.locator('.graphiql-response').getByText('there is no valid token').waitFor();
    assert.doesNotMatch(await kept(), /eyJ/);
  });
});

describe('a restart of the sandbox', () => {
  let gateway, browser, page;
  before(async () => {
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  test('keeps the token and the session of an open page valid', async () => {
    const address = await startAtAPort();
    page = await openConsole(browser, gateway);
    await page.signIn(fullAccess);
    assert.equal((await page.run()).errors, undefined);
    const tokens = sentTokens(page);
    await gateway.stop();
    gateway = await startGateway(`--listen=${address}`);
    assert.equal((await page.run()).errors, undefined);
    assert.equal(tokens.length, 1, 'the token was not renewed');
    const renewed = page.page.waitForResponse((response) => response.url().endsWith('/token'));
    await endLongTimers(page.page);
    assert.equal((await renewed).status(), 200);
    assert.equal((await page.run()).errors, undefined);
    await page.close();
  });

  /** Starts the gateway at a port that no system gives to a connection, so that it is still free after a restart. */
  async function startAtAPort() {
    for (let tries = 1; ; tries++) {
      const address = `127.0.0.1:${20_000 + Math.floor(Math.random() * 10_000)}`;
      try {
        gateway = await startGateway(`--listen=${address}`);
        return address;
      } catch (error) {
        if (tries === 10 || !/address already in use/.test(error.message)) throw error;
      }
    }
  }
});

/** The tokens that the page sends from now on. */
function sentTokens({ context }) {
  const tokens = [];
  context.on('request', (request) => {
    const { authorization } = request.headers();
    if (authorization) tokens.push(authorization);
  });
  return tokens;
}

describe('signing in at a gateway that is a resource of its issuer', () => {
  const resource = 'https://pay.example.com/graphql';
  const { openPage } = useConsole('--public-url=https://pay.example.com', `--auth-audience=${resource}`);

  test('requests a token for it', async () => {
    const page = await openPage();
    await page.signIn(fullAccess);
    const urls = page.watch.requests.map((request) => new URL(request.url()));
    assert.ok(urls.some(({ pathname }) => pathname === '/.well-known/oauth-protected-resource/graphql'));
    const asked = urls.find(({ pathname }) => pathname === '/sandbox/issuer/authorize');
    assert.equal(asked.searchParams.get('resource'), resource);
    const redeemed = page.watch.requests.find((request) => request.url().endsWith('/sandbox/issuer/token'));
    assert.equal(new URLSearchParams(redeemed.postData()).get('resource'), resource);
    const { errors } = await page.run();
    assert.equal(errors, undefined);
  });

  for (const [name, body, says] of [
    ['a page', '<!doctype html>', 'does not say which issuers'],
    ['null', 'null', 'does not say which issuers'],
    ['another document', '{"authorization_servers":"none"}', 'does not say which issuers'],
    ['no resource', JSON.stringify({ authorization_servers: [] }), 'does not say which issuers'],
    ['another issuer', JSON.stringify({ resource, authorization_servers: ['https://other.example.com'] }), 'does not accept tokens of this issuer'],
  ]) {
    test(`says what is wrong if the metadata is ${name}`, async () => {
      const page = await openPage();
      await page.context.route('**/.well-known/oauth-protected-resource/graphql', (route) => route.fulfill({ body }));
      await page.page.locator('.console-sign-in').click();
      await page.banner.getByText(says).waitFor();
    });
  }
});
