// The work of a support person: from a payment to its webhooks without GraphQL, and ready-made operations that find their
// ids, on a gateway with every setting and on a real one without paging parameters, pointer and trace.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startGateway } from '../gateway.js';
import { withoutDispatcher } from './personas.js';
import { screens } from './screens.js';
import { stepUntil, useConsole } from './suite.js';

describe('a support person', () => {
  const { gateway, openPage } = useConsole();
  let bare, page, failed;
  before(async () => {
    bare = await startGateway(...gateway.settingsOfAPIs);
    failed = await findFailed(gateway);
  });
  after(() => bare?.stop());

  /** Opens the page of a gateway with a token. */
  async function open(of, viewport) {
    page = await openPage({ at: of.consoleURL, viewport, timezoneId: 'America/Sao_Paulo' });
    await page.paste(gateway.token);
    await page.page.locator('.console-who').waitFor();
  }

  const panel = () => page.page.getByRole('region', { name: 'Webhooks', exact: true });
  const result = () => panel().getByRole('region', { name: 'Result' });

  for (const viewport of screens) {
    const { width } = viewport;

    test(`${width} px: gets from a transaction id to its last status code within four clicks`, async () => {
      await open(gateway, viewport);
      await page.page.evaluate(() => {
        globalThis.clicks = 0;
        addEventListener('click', (event) => { globalThis.clicks += event.detail; }, true);
      });
      await page.show('Webhooks');
      await panel().getByLabel('Transaction id').click();
      await page.page.keyboard.insertText(failed.transaction);
      await panel().getByRole('button', { name: 'Show webhooks' }).click();
      const card = result().getByRole('article', { name: `Notification ${failed.id}` });
      const { verdict, explanation, attempts } = failed.delivery;
      await card.getByText(verdict, { exact: true }).waitFor();
      await card.getByText(explanation, { exact: true }).waitFor();
      await card.getByText(new RegExp(`^${attempts} attempts?, .* GMT-3\\. Last status code ${failed.statusCode}\\.`)).waitFor();
      assert.match(await card.locator('tbody tr').last().innerText(), new RegExp(`GMT-3\\s+${failed.statusCode}\\s`));
      assert.ok(await page.page.evaluate(() => globalThis.clicks) <= 4);
      await page.fits();
    });

    test(`${width} px: picks a deposit by its amount and time`, async () => {
      await open(gateway, viewport);
      await page.show('Webhooks');
      await panel().getByLabel('Amount in R$').fill(failed.reais);
      await panel().getByLabel('From').fill('2020-01-01T00:00');
      await gateway.forgetCalls();
      await panel().getByRole('button', { name: 'Show deposits' }).click();
      const row = panel().getByRole('row', { name: failed.transaction });
      assert.match((await row.innerText()).replaceAll('\u00a0', ' '), new RegExp(`GMT-3\\s+R\\$ ${failed.reais.replace('.', '\\.')}`));
      const [call] = await gateway.calls();
      assert.match(call, new RegExp(`minAmount=${failed.amount}&`));
      assert.match(call, /startDate=2020-01-01T03%3A00%3A00.000Z/); // midnight in São Paulo
      assert.ok(await isInTable(row.getByRole('button')), 'the button is hidden until the table is scrolled');
      await row.getByRole('button').click();
      await result().getByRole('article', { name: `Notification ${failed.id}` }).waitFor();
      await page.fits();
    });

    test(`${width} px: without a source of ids learns that, and reads a notification by its id`, async () => {
      await bare.stop(); // it remembers notifications that a token has read
      bare = await startGateway(...gateway.settingsOfAPIs);
      await open(bare, viewport);
      await page.show('Webhooks');
      await panel().getByLabel('Transaction id').fill(failed.transaction);
      await page.page.keyboard.press('Enter');
      await result().getByText('cannot find the notifications of a payment: links_metadata_pointer is not set').waitFor();
      assert.equal(await result().getByRole('article').count(), 0);
      await panel().getByLabel('Notification id').fill(failed.id);
      await page.page.keyboard.press('Enter');
      await result().getByRole('article', { name: `Notification ${failed.id}` }).waitFor();
      await result().getByText(`about the record ${failed.transaction}`).waitFor();
      await panel().getByRole('button', { name: 'Show webhooks' }).click();
      await result().getByText('There may be other notifications').waitFor();
      await result().getByRole('article', { name: `Notification ${failed.id}` }).waitFor();
      await page.fits();
    });

    test(`${width} px: is asked for an id that a bare gateway cannot find; every operation works there`, async () => {
      await open(bare, viewport);
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
      await page.page.getByText(/^Worst case: \d+ of 1100 calls$/).waitFor();
    });
  }

  test('sees what failed: an unknown payment, a token without the scope, an API that is down', async () => {
    page = await openPage();
    await page.signIn(withoutDispatcher);
    await page.show('Webhooks');
    const ask = async (id) => {
      await panel().getByLabel('Transaction id').fill(id);
      await page.page.keyboard.press('Enter');
    };
    await ask('00000000-0000-4000-8000-000000000000');
    await result().getByText('No transaction has this id.').waitFor();
    await ask(failed.transaction);
    await result().getByText(/get_dispatcher/).waitFor();
    await gateway.fault({ route: 'transaction', status: 503 });
    await ask(failed.transaction);
    await result().getByText(/core API/).waitFor();
    await panel().getByLabel('Amount in R$').fill('much');
    await panel().getByRole('button', { name: 'Show deposits' }).click();
    await panel().getByText('Enter the amount in reais').waitFor();
  });

  test('without a token is asked to sign in', async () => {
    page = await openPage();
    await page.openOperation('Waiting for a payment');
    await page.page.locator('.console-operations').getByText('there is no valid token').waitFor();
    await page.show('Webhooks');
    await panel().getByRole('button', { name: 'Show deposits' }).click();
    await panel().getByText('there is no valid token').waitFor();
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

/** Whether a button in a table is visible without scrolling the table to the side. */
function isInTable(button) {
  return button.evaluate((element) => {
    const [inner, outer] = [element, element.closest('.console-scroll')].map((box) => box.getBoundingClientRect());
    return inner.left >= outer.left && inner.right <= outer.right;
  });
}

/** A deposit with a notification that was not delivered, and the status code of its newest attempt. */
async function findFailed(gateway) {
  const { data: { deposits } } = await gateway.query('{ deposits(first: 20) { nodes { id amount } } }');
  for (const { id, amount } of deposits.nodes) {
    const { data } = await gateway.query(`query ($id: ID!) {
      transaction(id: $id) { notifications { nodes { id status delivery { verdict explanation attempts lastStatusCode } } } }
    }`, { id });
    const found = data.transaction?.notifications.nodes.find(({ status, delivery }) => status === 'FAILED' && delivery.attempts > 0);
    if (!found) continue;
    const reais = (amount / 100).toLocaleString('pt-BR', { minimumFractionDigits: 2 });
    return { id: found.id, transaction: id, amount, reais, statusCode: found.delivery.lastStatusCode, delivery: found.delivery };
  }
  assert.fail('no payment on the newest page has a notification that was not delivered');
}
