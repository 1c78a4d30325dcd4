// The panel Webhooks with another id than it asks for: it says what the id is and leads to it, and the focus follows.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { checkWithAxe } from './axe.js';
import { screens } from './screens.js';
import { useConsole } from './suite.js';

describe('the panel Webhooks', () => {
  const { gateway, openPage } = useConsole();
  let page, samples, withdrawal, orphan;
  before(async () => {
    samples = await gateway.samples();
    const { data } = await gateway.query('{ withdrawals(first: 20) { nodes { id endToEnd } } deposits(first: 100) { nodes { id } } }');
    withdrawal = data.withdrawals.nodes.find(({ endToEnd }) => endToEnd !== null);
    orphan = await withoutTransaction(gateway, data.deposits.nodes.map(({ id }) => id));
  });

  async function open(viewport) {
    page = await openPage({ viewport, reducedMotion: 'reduce' });
    await page.paste(gateway.token);
    await page.page.locator('.console-who').waitFor();
    await page.show('Webhooks');
    await gateway.forgetCalls();
  }

  const panel = () => page.page.getByRole('region', { name: 'Webhooks', exact: true });
  const result = () => panel().getByRole('region', { name: 'Result' });
  const heading = (text) => result().getByRole('heading', { name: text });
  const ask = async (label, id) => {
    await panel().getByLabel(label).fill(id);
    await page.page.keyboard.press('Enter');
  };
  /** Fails unless the heading of the result has the focus, and is visible. */
  const hasFocus = async (text) => {
    await heading(text).and(page.page.locator(':focus')).waitFor();
    const inView = await heading(text).evaluate((element) => {
      const [box, pane] = [element, element.closest('.graphiql-plugin')].map((each) => each.getBoundingClientRect());
      return box.top >= pane.top && box.bottom <= pane.bottom;
    });
    assert.ok(inView, 'the heading is scrolled away');
  };

  for (const viewport of screens) {
    const { width } = viewport;

    test(`${width} px: moves the focus to the webhooks of a picked deposit, and only then`, async () => {
      await open(viewport);
      await panel().getByRole('button', { name: 'Show deposits' }).click();
      const row = panel().getByRole('button', { name: `Show the webhooks of deposit ${samples.transaction}` });
      await row.focus();
      await page.page.keyboard.press('Enter');
      await hasFocus(/^Result: \d+ notifications$/);
      await checkWithAxe(page, 'the webhooks of a deposit');
      await page.fits();
      await page.page.keyboard.press('Tab'); // to what is shown below the heading
      assert.ok(await result().locator(':focus').count(), 'Tab leaves the result');
      await ask('Transaction id', samples.transaction);
      await heading(/^Result: \d+ notifications$/).waitFor();
      await panel().getByLabel('Transaction id').and(page.page.locator(':focus')).waitFor();
    });

    test(`${width} px: says that a deposit has no transaction`, async () => {
      await open(viewport);
      await panel().getByRole('button', { name: 'Show deposits' }).click();
      const row = panel().getByRole('button', { name: `Show the webhooks of deposit ${orphan}` });
      while (await row.count() === 0) {
        const table = await panel().getByRole('table').elementHandle();
        await panel().getByRole('button', { name: 'Next page' }).click();
        await page.page.waitForFunction((old) => !old.isConnected, table);
        await panel().getByRole('table').waitFor();
      }
      await gateway.forgetCalls();
      await row.click();
      await hasFocus('Result: no notification was found');
      await result().getByText('This deposit has no transaction').waitFor();
      assert.deepEqual(await gateway.calls(), [`core ${new URL(gateway.coreURL).pathname}/transaction/${orphan}`]);
      await checkWithAxe(page, 'a deposit without a transaction');
      await page.fits();
    });

    test(`${width} px: says that an id is that of a withdrawal, and opens it`, async () => {
      await open(viewport);
      await ask('Transaction id', withdrawal.id);
      await result().getByText('No transaction has this id.').waitFor();
      await result().getByText(/^This is the id of a withdrawal: R\$.*, [A-Z_]+, created/).waitFor();
      assert.equal((await gateway.calls()).length, 3);
      await checkWithAxe(page, 'the id of a withdrawal');
      await page.fits();
      await result().getByRole('button', { name: 'Open the withdrawal' }).click();
      await page.openTab('Withdrawal');
      const { data } = await page.run();
      assert.equal(data.withdrawal.id, withdrawal.id);
    });
  }

  test('picks a deposit of an API that does not count its records', async () => {
    const response = await fetch(`${gateway.coreURL}/deposit`, { headers: { authorization: `Bearer ${gateway.token}` } });
    const { total, totalPages, ...uncounted } = await response.json();
    assert.ok(total > 0 && totalPages > 1);
    await open();
    await gateway.fault({ route: 'deposit', body: JSON.stringify(uncounted) });
    await panel().getByRole('button', { name: 'Show deposits' }).click();
    await panel().getByRole('status').getByText(`Page 1: ${uncounted.data.length} deposits.`).waitFor();
    await gateway.heal();
    await panel().getByRole('button', { name: `Show the webhooks of deposit ${samples.transaction}` }).click();
    await hasFocus(/^Result: \d+ notifications$/);
  });

  test('leads from the id of a notification to it, and from that of a transaction to its webhooks', async () => {
    await open();
    await ask('Transaction id', samples.notification);
    await result().getByText('This is the id of a notification: ').waitFor();
    await result().getByRole('button', { name: 'Show the notification' }).click();
    await hasFocus('Result: 1 notification');
    assert.equal(await panel().getByLabel('Notification id').inputValue(), samples.notification);
    await gateway.forgetCalls();
    await ask('Notification id', samples.transaction);
    await result().getByText('This is the id of a transaction: ').waitFor();
    assert.equal((await gateway.calls()).length, 3);
    await result().getByRole('button', { name: 'Show its webhooks' }).click();
    await hasFocus(/^Result: \d+ notifications$/);
  });

  test('says of an unknown id that no record has it, with at most two more lookups', async () => {
    await open();
    await ask('Transaction id', samples.unknownTransaction);
    await result().getByText('It may be that of a deposit').waitFor();
    assert.equal((await gateway.calls()).length, 3);
  });

  test('names a text that is no id, and sends it to no API', async () => {
    await open();
    for (const [text, name] of [
      ['maria@example.com', 'an e-mail address'], ['529.982.247-25', 'a CPF'], ['+5511987654321', 'a phone number'],
      [withdrawal.endToEnd, 'an EndToEndId'],
    ]) {
      for (const kind of ['transaction', 'notification']) {
        await ask(kind === 'transaction' ? 'Transaction id' : 'Notification id', text);
        await result().getByText(new RegExp(`^This is ${name}.*, not the id of a ${kind}\\.`)).waitFor();
      }
    }
    assert.deepEqual(await gateway.calls(), []);
    await checkWithAxe(page, 'a text that is no id');
    await result().getByRole('button', { name: 'Find the withdrawal' }).click();
    await page.openTab('Withdrawals');
    const { data } = await page.run();
    assert.deepEqual(data.withdrawals.nodes.map(({ id }) => id), [withdrawal.id]);
  });

  test('shows the request id of a failed lookup, and repeats it', async () => {
    await open();
    await gateway.fault({ route: 'transaction', status: 500 });
    await ask('Transaction id', samples.transaction);
    await result().getByText(/core API/).waitFor();
    await heading('Result: not known').waitFor();
    assert.match(await result().locator('.console-request code').innerText(), /^[0-9a-f]{32}$/);
    await checkWithAxe(page, 'a failed lookup');
    await gateway.heal();
    await result().getByRole('button', { name: 'Try again' }).click();
    await hasFocus(/^Result: \d+ notifications$/);
  });
});

/** A deposit whose id is not that of a transaction. */
async function withoutTransaction(gateway, ids) {
  for (let at = 0; at < ids.length; at += 50) {
    const { data } = await gateway.query('query ($ids: [ID!]!) { transactions(ids: $ids) { id } }', { ids: ids.slice(at, at + 50) });
    const index = data.transactions.indexOf(null);
    if (index >= 0) return ids[at + index];
  }
  return assert.fail('each of the newest deposits has a transaction');
}
