// The work of a support person: from GraphiQL to the webhooks of a payment in Payments, and ready-made operations that find
// their ids, on a gateway with every setting and on a real one without paging parameters, pointer and trace.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startGateway } from '../gateway.js';
import { checkWithAxe } from './axe.js';
import { fullAccess } from './personas.js';
import { screens } from './screens.js';
import { stepUntil, useBrowser } from './suite.js';

describe('a support person', () => {
  const { gateway, openConsole, openPayments } = useBrowser();
  let bare, page, failed;
  before(async () => {
    bare = await startGateway(...gateway.settingsOfAPIs);
    failed = await findFailed(gateway);
  });
  after(() => bare?.stop());

  const webhooks = () => page.page.getByRole('region', { name: 'Webhooks', exact: true });
  const card = () => webhooks().getByRole('article', { name: `Webhook ${failed.id}` });

  for (const viewport of screens) {
    const { width } = viewport;

    test(`${width} px: gets from GraphiQL to the last status code of a payment within two clicks`, async () => {
      page = await openConsole({ viewport });
      await page.signIn(fullAccess);
      await page.show('Webhooks');
      await checkWithAxe(page, 'the panel Webhooks');
      await page.fits();
      page.watch.allowAborts(); // of what Payments reads, when the user finds the payment
      // The user is faster than the issuer, of which Payments gets another token.
      let proceed;
      const entered = new Promise((resolve) => { proceed = resolve; });
      await page.context.route((url) => url.searchParams.get('prompt') === 'none', (route) => entered.then(() => route.continue()));
      await webhooks().getByRole('link', { name: 'Find a payment or a webhook' }).click();
      await page.page.getByRole('textbox', { name: 'Find a payment' }).and(page.page.locator(':focus')).waitFor();
      await page.page.keyboard.insertText(failed.transaction);
      await page.page.keyboard.press('Enter');
      proceed();
      await card().getByText(new RegExp(`HTTP status ${failed.statusCode}\\.`)).waitFor();
      assert.equal(await card().locator('tbody tr').count(), failed.attempts);
      assert.match(await card().locator('tbody tr').last().innerText(), new RegExp(`\\s${failed.statusCode}\\s`));
      await page.fits();
    });

    test(`${width} px: without a source of ids learns that, and reads a notification by its id`, async () => {
      await bare.stop(); // it remembers notifications that a token has read
      bare = await startGateway(...gateway.settingsOfAPIs);
      page = await openPayments({ viewport, origin: bare.consoleURL, token: gateway.token, view: `#/transaction/${failed.transaction}` });
      await webhooks().getByText('This gateway cannot find the webhooks of a payment').waitFor();
      assert.equal(await webhooks().getByRole('article').count(), 0);
      await page.go(`#/notification/${failed.id}`);
      await page.panel('Delivery').getByRole('article', { name: `Webhook ${failed.id}` }).waitFor();
      await page.panel('About').getByRole('link').click();
      await card().waitFor();
      await webhooks().getByText('There may be other webhooks').waitFor();
      await page.fits();
    });

    test(`${width} px: is asked for an id that a bare gateway cannot find; every operation works there`, async () => {
      page = await openConsole({ at: bare.consoleURL, viewport });
      await page.paste(gateway.token);
      await page.page.locator('.console-who').waitFor();
      await page.show('Operations');
      const settings = await page.page.locator('.operations-missing code').allInnerTexts();
      assert.deepEqual(settings, ['paging_page_param', 'paging_per_page_param', 'links_metadata_pointer', 'trace']);
      assert.equal(await page.page.locator('.console-operation', { hasText: 'Reconciliation' }).count(), 0);
      await page.fits();
      await runs('Dashboard', 'Dashboard', {});
      await page.openOperation('Waiting for a payment');
      await page.openTab('WaitingForPayment');
      await page.subscribe();
      await stepUntil(gateway, () => page.streamState.getByText('Ended: a status'));
      await asksForNotification('Why did my webhook fail?', 'FailedWebhook', {});
      await asksForNotification('Partial failure', 'PartialFailure', { 'transactions.1': 'NOT_FOUND' });
      await page.show('Upstream calls');
      await page.page.getByText('Call tracing is off.').waitFor();
      await page.page.locator('.waterfall-cost').getByText(/^Worst case: \d+ of 1100 calls$/).waitFor();
    });
  }

  test('without a token is asked to sign in', async () => {
    page = await openConsole();
    await page.openOperation('Waiting for a payment');
    await page.page.locator('.console-operations').getByText('there is no valid token').waitFor();
  });

  /** Opens an operation, which finds its ids, and runs it. */
  async function runs(title, name, errors) {
    await page.openOperation(title);
    await opened(name, errors);
  }

  async function asksForNotification(title, name, errors) {
    await page.openOperation(title);
    const card = page.page.locator('.console-operations > li', { hasText: title });
    await card.getByText('links_metadata_pointer is not set').waitFor();
    await card.getByLabel('Notification id').fill(failed.id);
    await page.page.keyboard.press('Enter');
    await opened(name, errors);
  }

  async function opened(name, errors) {
    await page.page.locator('.graphiql-tab-active', { hasText: name }).waitFor();
    const answer = await page.run();
    assert.ok(answer.data, JSON.stringify(answer));
    const codes = (answer.errors ?? []).map(({ path, extensions }) => [path.join('.'), extensions.code]);
    assert.deepEqual(Object.fromEntries(codes), errors, name);
  }
});

/** A notification that was not delivered, of a payment on the newest page, with the status code of its newest attempt. */
async function findFailed(gateway) {
  const { data: { deposits } } = await gateway.query('{ deposits(first: 20) { nodes { id } } }');
  for (const { id } of deposits.nodes) {
    const { data } = await gateway.query(`query ($id: ID!) {
      transaction(id: $id) { notifications { nodes { id delivery { verdict attempts lastStatusCode } } } }
    }`, { id });
    const found = data.transaction?.notifications.nodes.find(({ delivery: { verdict, lastStatusCode } }) =>
      ['REJECTED', 'DESTINATION_FAILED'].includes(verdict) && lastStatusCode > 0 && lastStatusCode !== 429); // which has other words
    if (found) return { id: found.id, transaction: id, statusCode: found.delivery.lastStatusCode, attempts: found.delivery.attempts };
  }
  assert.fail('no payment on the newest page has a notification that was not delivered');
}
