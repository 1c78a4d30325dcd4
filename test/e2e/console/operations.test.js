// The ready-made operations, run like a user does, with the panels that explain their responses.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startGateway } from '../gateway.js';
import { checkWithAxe } from './axe.js';
import { launchBrowser } from './browser.js';
import { openConsole } from './console.js';
import { fullAccess } from './personas.js';

// The expected data of each query; errors are codes by path. live.test.js has the subscription.
const operations = [
  { name: 'Dashboard', title: 'Dashboard', sees: (data) => data.deposits.nodes.length === 5 && data.paidDeposits.totalCount > 0 },
  {
    name: 'FailedWebhook', title: 'Why did my webhook fail?',
    sees: ({ notification }) => ['FAILED', 'ERROR'].includes(notification.status) && notification.delivery.verdict && notification.transaction,
  },
  {
    name: 'Reconciliation', title: 'Reconciliation',
    sees: ({ deposits, depositSummary }) => deposits.edges.length === 10 && deposits.pageInfo.hasNextPage
      && depositSummary.complete && depositSummary.count === deposits.totalCount,
  },
  {
    name: 'PartialFailure', title: 'Partial failure', sees: (data) => data.transactions[0] && data.notification && data.withdrawals,
    errors: { 'transactions.1': 'NOT_FOUND' },
  },
];

describe('the ready-made operations', () => {
  let gateway, browser, page;
  before(async () => {
    browser = await launchBrowser();
    gateway = await startGateway();
    page = await openConsole(browser, gateway, {
      permissions: ['clipboard-read', 'clipboard-write'], viewport: { width: 1280, height: 880 },
    });
    await page.signIn(fullAccess);
  });
  after(async () => {
    try {
      await page?.close();
    } finally {
      await browser?.close();
      await gateway?.stop();
    }
  });

  for (const { name, title, sees, errors = {} } of operations) {
    test(`${name} shows data and its upstream calls`, async () => {
      await page.openOperation(title);
      await page.openTab(name);
      await gateway.forgetCalls();
      const cost = await page.page.locator('.console-cost').innerText(); // before it is run
      const answer = await page.run();
      assert.ok(sees(answer.data), JSON.stringify(answer));
      const codes = (answer.errors ?? []).map(({ path, extensions }) => [path.join('.'), extensions.code]);
      assert.deepEqual(Object.fromEntries(codes), errors);
      await page.page.locator('.graphiql-response').getByText('"data"').waitFor();

      await page.show('Upstream calls');
      await page.page.locator('.waterfall-total', { hasText: name }).waitFor();
      assert.equal(await page.page.locator('.waterfall-cost').innerText(), cost, 'the gateway computes another cost');
      const calls = await gateway.calls();
      const bars = await page.page.locator('.waterfall-bar').allInnerTexts();
      assert.ok(calls.length > 0);
      assert.equal(bars.length, calls.length, `the bars\n${bars.join('\n')}\ndiffer from the calls\n${calls.join('\n')}`);
      await page.saveScreenshot(`operation-${name}`);
    });
  }

  test('a failed call and a shared call are marked', async () => {
    await page.openTab('PartialFailure');
    await page.run();
    await page.show('Upstream calls');
    const failed = page.page.locator('.waterfall-failed');
    assert.equal(await failed.count(), 1);
    assert.match(await failed.innerText(), /404 NOT_FOUND/);
    const joined = page.page.locator('.waterfall-bar', { hasText: '+1 joined' });
    await joined.click();
    const places = await page.page.locator('.waterfall-details li').allInnerTexts();
    assert.equal(places.length, 2, places.join());
    await page.saveSmallScreenshot('console-waterfall');
  });

  test('each attempt of a retried call is shown', async () => {
    const [{ id }] = await gateway.transactions(1);
    await page.page.locator('.graphiql-tab-add').click();
    await page.write(`{ transaction(id: "${id}") { id } }`);
    await gateway.fault({ route: 'transaction', status: 503, times: 1 });
    const answer = await page.run();
    assert.ok(answer.data.transaction, JSON.stringify(answer));
    assert.equal(answer.errors, undefined);
    await page.show('Upstream calls');
    const failed = page.page.locator('.waterfall-failed');
    await failed.getByText('503').waitFor();
    assert.equal(await failed.count(), 1);
    assert.equal(await page.page.locator('.waterfall-bar').count(), 2);
    assert.match(await page.page.locator('.waterfall-bar', { hasText: 'try 2' }).innerText(), /200/);
  });

  test('an operation above the limit of calls is marked before it is run', async () => {
    await page.page.locator('.graphiql-tab-add').click();
    await page.write('query ($ids: [ID!]!) { transactions(ids: $ids) { notifications { nodes { id } } } }');
    await page.writeVariables({ ids: Array.from({ length: 50 }, (_, n) => `00000000-0000-4000-8000-0000000000${n + 10}`) });
    const cost = page.page.locator('.console-cost[data-over="true"]');
    await cost.getByText('Worst case: 2550 of 1100 calls').waitFor();
    for (const colorScheme of ['dark', 'light']) {
      await page.page.emulateMedia({ colorScheme });
      await page.editor.locator(`.monaco-editor.vs${colorScheme === 'dark' ? '-dark' : ''}`).waitFor();
      await checkWithAxe(page, `a cost above the limit, ${colorScheme}`);
    }
    const { errors } = await page.run();
    assert.equal(errors[0].extensions.limit, 'cost');
  });

  test('the calls are accessible with the keyboard', async () => {
    await page.openTab('Dashboard');
    await page.run();
    await page.show('Upstream calls');
    await page.page.locator('.waterfall-bar').first().focus();
    await page.page.keyboard.press('Tab');
    const details = page.page.locator('.waterfall-details');
    await details.getByText('core /').waitFor();
    assert.match(await details.innerText(), /Requested by/);
  });

  test('the QR code of an open payment is shown, and its text can be copied', async () => {
    await page.openOperation('Waiting for a payment');
    await page.openTab('WaitingForPayment');
    await page.page.getByRole('button', { name: 'Hide Operations' }).click();
    await page.editor.locator('.view-lines').click();
    await page.page.keyboard.press('ControlOrMeta+Home'); // the screenshot has the beginning of the operation
    await page.subscribe();
    const picture = page.page.locator('.preview-image img');
    await picture.waitFor();
    assert.ok(await picture.evaluate((image) => image.decode().then(() => image.naturalWidth)) > 50);
    await page.page.locator('.preview-copy').click();
    await page.page.getByText('Copied the Pix code.').waitFor();
    assert.match(await page.clipboard(), /^000201.*6304[0-9A-F]{4}$/);
    await page.page.emulateMedia({ colorScheme: 'dark' });
    await page.editor.locator('.monaco-editor.vs-dark').waitFor();
    await page.page.locator('.preview-brCode').scrollIntoViewIfNeeded();
    await page.saveSmallScreenshot('console-qrcode');
    await page.page.emulateMedia({ colorScheme: 'light' });
  });

  test('the cursor of the reconciliation leads to the next page', async () => {
    await page.openTab('Reconciliation');
    const first = await page.run();
    const after = first.data.deposits.pageInfo.endCursor;
    await page.writeVariables({ first: 10, after, filter: { status: ['PAID'] }, sums: false });
    const second = await page.run();
    const seen = new Set(first.data.deposits.edges.map(({ node }) => node.id));
    assert.equal(second.data.deposits.edges.length, 10);
    assert.ok(second.data.deposits.edges.every(({ node }) => !seen.has(node.id)));
  });
});
