// A subscription in the page: its events as they happen, and how it ends.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { afterEach, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { startGateway } from '../gateway.js';
import { checkWithAxe } from './axe.js';
import { fullAccess } from './personas.js';
import { startProxy } from './proxy.js';
import { screens } from './screens.js';
import { stepUntil, useConsole } from './suite.js';

const run = promisify(execFile);

describe('a subscription', () => {
  const { gateway, openPage } = useConsole();
  let proxy, page;
  afterEach(async () => {
    await proxy?.close();
    proxy = undefined;
  });

  const region = () => page.page.getByRole('region', { name: 'Events' });
  const row = (reason) => region().locator('label', { hasText: reason });

  /** Runs a subscription to an open payment. It does not end by itself. */
  async function watchPayment() {
    page = await openPage();
    await page.paste(gateway.token);
    await watch();
  }

  async function watch() {
    const { data } = await gateway.query('{ deposits(filter: { status: [PENDING, PIX_QRCODE_GENERATED] }) { nodes { id } } }');
    const [{ id }] = data.deposits.nodes;
    await page.write(`subscription { transaction(id: "${id}") { id status amount updatedAt } }`);
    await page.subscribe();
  }

  for (const viewport of screens) {
    test(`${viewport.width} px: shows the payment become PAID, and every event with time and reason`, async () => {
      page = await openPage({ viewport, reducedMotion: 'reduce' });
      await page.paste(gateway.token);
      await page.openOperation('Waiting for a payment');
      await page.openTab('WaitingForPayment');
      await page.showPane('Query');
      await page.subscribe();
      await stepUntil(gateway, () => row('REACHED'));
      await page.streamState.getByText(/^Ended: a status of “until” was reached · \d+ events?$/).waitFor();
      const events = await region().locator('label').allInnerTexts();
      assert.match(events[0], /\d\d:\d\d:\d\d[.,]\d{3}.*\s+REACHED\s+\w+\s+A status of/s);
      await page.page.locator('.answer').getByText(/^Event \d+ · REACHED/).waitFor();
      await page.fits();
      await checkWithAxe(page, 'events');
      await page.saveScreenshot(`live-${viewport.width}`);
    });
  }

  test('says when the next read is due, and a selected event stays shown as JSON and as a table', async () => {
    await watchPayment();
    await page.streamState.getByText(/^Live · \d+ events?$/).waitFor();
    await page.page.getByRole('timer').getByText(/^(Next read in \d+ s|Reading again; no change so far)$/).waitFor();
    const before = await page.events.count();
    await stepUntil(gateway, () => row('CHANGED').first());
    const count = await page.events.count();
    assert.ok(count > before);
    assert.ok(await page.events.first().isChecked(), 'the newest event is shown');
    // The arrow keys move from event to event: Up from the first one leads to the oldest.
    const oldest = page.page.locator('.answer').getByText(/^Event 1 · SNAPSHOT/);
    for (let tries = 0; tries < 60 && await oldest.count() === 0; tries++) { // a new event may become the first one
      await page.events.first().focus();
      await page.page.keyboard.press('ArrowUp');
      await oldest.waitFor({ timeout: 2_000 }).catch(() => {});
    }
    await oldest.waitFor();
    await page.page.locator('.result-window').getByText('"SNAPSHOT"').waitFor();
    const listed = await page.events.count();
    await stepUntil(gateway, () => page.events.nth(listed));
    await page.page.locator('.result-window').getByText('"SNAPSHOT"').waitFor();
    await page.page.getByRole('button', { name: 'Table' }).click();
    await page.page.getByRole('grid', { name: 'transaction' }).getByText('R$').waitFor();
    const ended = page.page.waitForEvent('requestfailed'); // so that the gateway stops reading
    await region().getByRole('button', { name: 'Stop' }).click();
    assert.equal((await ended).failure().errorText, 'net::ERR_ABORTED');
    await page.streamState.getByText(/^Stopped · \d+ events$/).waitFor();
    assert.equal(await page.page.getByRole('timer').count(), 0);
  });

  test('is a curl command that shows events', async () => {
    page = await openPage({ permissions: ['clipboard-read', 'clipboard-write'] });
    const id = await subscribeToPending();
    const command = await page.copyCurl();
    await gateway.setStatus(id, 'PIX_QRCODE_GENERATED');
    await page.events.nth(1).waitFor();
    assert.equal(await page.page.getByText(/Copied the command/).count(), 1); // an event does not change the command
    const { stdout } = await run('sh', ['-c', `${command} | head -n 4`], { env: { PATH: process.env.PATH, TOKEN: gateway.token } });
    assert.match(stdout, /event: next\ndata: \{"data":\{"transaction"/);
  });

  const lostConnection = /ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION|ERR_EMPTY_RESPONSE/;

  /** Opens the page through a proxy, which leads to a gateway, and watches a payment that is PENDING. */
  async function watchPending(through, until = '') {
    proxy = await startProxy('/', new URL(through.url).origin);
    page = await openPage({ at: proxy.url });
    page.watch.expect(lostConnection);
    return subscribeToPending(until);
  }

  /** Makes a payment PENDING, and subscribes to it. */
  async function subscribeToPending(until = '') {
    await page.paste(gateway.token);
    const { openTransaction: id } = await gateway.samples();
    await gateway.setStatus(id, 'PENDING');
    await page.write(`subscription { transaction(id: "${id}"${until}) { id status updatedAt } }`);
    await page.subscribe();
    return id;
  }

  test('continues after a drain, and misses no status', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => startGateway(...gateway.settingsOfAPIs, '--shutdown-delay=0s')));
    try {
      const id = await watchPending(first, ', until: [PAID]');
      proxy.respond = (response) => response.destroy();
      await first.stop();
      await page.streamState.getByText(/^Reconnecting \(\d+ of 10\) · 1 event$/).waitFor();
      assert.equal(await page.banner.count(), 0);
      await gateway.forgetCalls();
      for (const status of ['PAID', 'REFUNDED']) await gateway.setStatus(id, status);
      assert.deepEqual(await gateway.calls(), []);
      proxy.gateway = new URL(second.url).origin;
      proxy.respond = null;
      await page.streamState.getByText('Ended: a status of “until” was reached · 2 events').waitFor();
      assert.match(await row('REACHED').innerText(), /REFUNDED/);
    } finally {
      await second.stop();
    }
  });

  test('can be stopped while the page reconnects', async () => {
    await watchPending(gateway);
    proxy.respond = (response) => response.destroy();
    proxy.cut();
    await page.streamState.getByText(/^Reconnecting/).waitFor();
    assert.equal(await page.page.getByRole('timer').count(), 0);
    await checkWithAxe(page, 'reconnecting');
    await region().getByRole('button', { name: 'Stop' }).click();
    await page.streamState.getByText(/^Stopped · 1 event$/).waitFor();
    await page.page.locator('.result-window').getByText('"transaction"').waitFor(); // the last event
    assert.equal(await page.banner.count(), 0);
  });

  test('ends when its token expires, and says so', async () => {
    page = await openPage();
    const { openTransaction } = await gateway.samples();
    await page.write(`subscription { transaction(id: "${openTransaction}") { id status updatedAt } }`);
    for (let ttl = 4; await page.events.count() === 0; ttl *= 2) { // until the stream begins before the token expires
      await page.paste(await gateway.mint({ ttl }));
      await page.execute();
      await page.events.first().or(page.page.locator('.result-window').getByText('"errors"')).first().waitFor();
    }
    await page.streamState.getByText(/^Ended: .*token/).waitFor();
    await page.banner.getByText(/The token was refused: .*Sign in again, or paste another one/).waitFor();
    assert.equal(await row('FAILED').count(), 1);
  });

  test('ends when the token is refused, and says so', async () => {
    await watchPayment();
    await gateway.fault({ route: 'transaction', status: 401 });
    await page.banner.getByText('The token was refused: ').waitFor();
    await page.streamState.getByText(/^Ended: .*token/).waitFor();
    assert.equal(await row('FAILED').count(), 1);
  });

  test('continues with a new token of the issuer', async () => {
    page = await openPage();
    await page.signIn(fullAccess);
    await watch();
    await gateway.fault({ route: 'transaction', status: 401, times: 1 });
    await row('SNAPSHOT').nth(1).waitFor();
    await page.streamState.getByText(/^Live/).waitFor();
    assert.equal(await row('FAILED').count(), 0);
    assert.equal(await page.banner.count(), 0);
  });

  test('ends with the error of its last event', async () => {
    await watchPayment();
    await gateway.fault({ route: 'transaction', status: 404 });
    await page.streamState.getByText(/^Ended: .*not found|^Ended: .*No /i).waitFor();
    await page.page.locator('.result-window').getByText('NOT_FOUND').waitFor();
    assert.equal(await page.banner.count(), 0);
  });

  test('that is rejected shows why', async () => {
    page = await openPage();
    await page.paste(gateway.token);
    await page.write('subscription { transaction(id: "x") { id } }');
    await page.execute();
    await page.page.locator('.result-window').getByText('"errors"').waitFor();
    assert.equal(await region().count(), 0);
  });
});
