// Finding a payment in Payments by whatever a person has of it, and what the page shows before.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { startGateway } from '../gateway.js';
import { checkWithAxe } from './axe.js';
import { withoutDispatcher } from './personas.js';
import { screens } from './screens.js';
import { usePayments } from './suite.js';

const week = { days: 'Last 7 days' };

describe('finding a payment', () => {
  const { gateway, openPage } = usePayments();
  let bare, records, page;
  before(async () => {
    bare = await startGateway(...gateway.settingsOfAPIs);
    records = await recordsOf(gateway);
  });
  after(() => bare?.stop());

  const field = () => page.page.getByRole('textbox', { name: 'Find a payment' });
  const results = () => page.panel('Results');
  const said = () => results().getByRole('status').first();
  const step = (name) => results().getByRole('listitem').filter({ hasText: name });

  /** Searches a text and waits for the end. */
  async function find(text, { days } = {}) {
    if (days) await page.page.getByLabel('Days to search').selectOption({ label: days });
    await field().fill(text);
    await field().press('Enter');
    await said().getByText(/found|has this id/).waitFor();
  }

  async function open(options) {
    page = await openPage({ token: gateway.token, ...options });
  }

  /** Waits until nothing that is in view is being read. What a row needs is read when it comes into view. */
  async function settled() {
    await page.page.waitForFunction(() => [...document.querySelectorAll('main :not(:has(*))')].every((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return !/^(Reading|reading|Searching)…$/.test(element.textContent) || top > innerHeight || bottom < 0;
    }));
  }

  for (const viewport of screens) {
    for (const colorScheme of ['light', 'dark']) {
      test(`${viewport.width} px, ${colorScheme}: shows failed deliveries, lists and the newest deposits, and results in their place`, async () => {
        await open({ viewport, colorScheme });
        for (const name of ['Failed deliveries', 'Lists', 'Newest deposits']) await page.panel(name).waitFor();
        await settled();
        await page.panel('Newest deposits').locator('tbody tr').first().waitFor(); // a phone does not have them in view
        assert.equal(await page.panel('Newest deposits').locator('tbody tr').count(), 10);
        await page.panel('Newest deposits').locator('tbody tr').last().scrollIntoViewIfNeeded();
        await settled();
        const beyond = await page.page.locator('.table-scroll').evaluateAll((all) => all.map((each) => each.scrollWidth - each.clientWidth));
        assert.deepEqual(beyond, beyond.map(() => 0), 'amounts are beyond the edge');
        await page.page.evaluate(() => scrollTo(0, 0));
        await page.fits();
        await checkWithAxe(page, 'the first view');
        await page.saveScreenshot(`payments-home-${viewport.width}-${colorScheme}`);
        await find(records.named.payer.name, week);
        await settled();
        assert.equal(await page.panel('Failed deliveries').count(), 0);
        await page.fits();
        await checkWithAxe(page, 'results');
        await page.saveScreenshot(`payments-find-${viewport.width}-${colorScheme}`);
      });
    }
  }

  test('a deposit without a transaction is found by its id, and leads to its own view', async () => {
    const { id, createdAt } = records.withoutTransaction;
    await open();
    await find(`> "${id}"`, week);
    for (const record of ['Transaction', 'Withdrawal', 'Webhook']) await step(`${record} with this id: not found`).waitFor();
    await results().getByRole('row').filter({ hasText: 'n/a' }).waitFor();
    await results().getByRole('table', { name: 'Deposits' }).getByRole('link').click();
    await page.panel('Details').waitFor();
    assert.equal(new URL(page.page.url()).hash, `#/deposit/${id}?created=${encodeURIComponent(createdAt)}`);
    await page.page.goBack();
    await said().getByText('1 record found.').waitFor(); // the results are still there
  });

  test('a click on a deposit waits until it is known where it leads', async () => {
    const { id } = records.withoutTransaction;
    await open();
    await gateway.fault({ route: 'transaction', latency: '2s' });
    await find(id, week);
    await results().getByRole('table', { name: 'Deposits' }).getByRole('link').click();
    await page.page.getByText('There is no payment page for this deposit').waitFor();
  });

  test('ids of a transaction, a withdrawal and a notification open their views at once', async () => {
    const { transaction, notification } = await gateway.samples();
    await open();
    for (const [view, id] of [['transaction', transaction], ['withdrawal', records.withdrawal.id], ['notification', notification]]) {
      await field().fill(id);
      await field().press('Enter');
      await page.page.waitForURL((url) => url.hash === `#/${view}/${id}`);
      await page.page.getByRole('heading', { level: 1 }).waitFor();
      await page.go('#/');
      await results().waitFor();
    }
  });

  test('withdrawals are found by EndToEndId, key and code, with the filters of the API', async () => {
    const { endToEnd, pixKey, externalCode, id } = records.withdrawal;
    await open();
    for (const [text, name] of [[endToEnd, 'this EndToEndId'], [pixKey.key, `the Pix key ${pixKey.key}`], [externalCode, 'this external code']]) {
      await find(text);
      await step(name).getByText(/[1-9]\d* found/).waitFor();
      await results().getByRole('table', { name: 'Withdrawals' }).locator(`[data-id="${id}"]`).waitFor();
    }
  });

  test('a masked document is a possible match, and a Pix code a certain one', async () => {
    await open();
    const { id, payer, pixResponse } = records.masked;
    await find(payer.document.replaceAll('*', '1'), week);
    const row = results().locator(`[data-id="${id}"]`);
    await row.getByText('possible match: it is masked').waitFor();
    await find(pixResponse.uri, week);
    await row.waitFor();
    assert.equal(await row.getByText('possible match').count(), 0);
  });

  test('in Portuguese, what is pasted is read: an id of digits, a label, a code that is cut, and a range of days', async () => {
    await open({ locale: 'pt-BR', viewport: screens[0] });
    const resultados = page.panel('Resultados');
    const busca = async (text) => {
      await page.page.getByRole('textbox', { name: 'Localizar um pagamento' }).fill(text);
      await page.page.getByRole('button', { name: 'Buscar', exact: true }).click();
      await resultados.getByRole('status').first().getByText(/encontrad/).waitFor();
    };
    await busca(`ID da transação: ${records.hexadecimal.endToEnd.toLowerCase().replace(/^(.{9})/, '$1 ')}`);
    await resultados.locator(`[data-id="${records.hexadecimal.id}"]`).waitFor();
    const { id, createdAt, pixResponse } = records.masked;
    const [year, month, day] = createdAt.slice(0, 10).split('-');
    await page.page.getByLabel('Dias da busca').selectOption({ label: 'De – até…' });
    await page.page.getByLabel('De', { exact: true }).fill(`${year}-${month}-${day}`);
    await busca(`Pix Copia e Cola:\n${pixResponse.uri.slice(0, -60)}`);
    await resultados.getByRole('alert').getByText('Este código Pix está incompleto').waitFor();
    await resultados.locator(`[data-id="${id}"]`).waitFor();
    await page.fits();
    await busca(`Maria 01/01/2021 até ${day}/${month}/${year}`);
    await resultados.getByText(/^Entendido como: .*nome, em 1 de janeiro de 2021 a /).waitFor();
    const download = page.page.waitForEvent('download');
    await resultados.getByRole('button', { name: 'CSV para Excel' }).first().click();
    assert.match(readFileSync(await (await download).path(), 'utf8'), /^\ufeffCriado em;Pago em;Situação;Nome;/);
  });

  test('a search says its bounds, and continues further back', async () => {
    await open();
    await find('nobody has this name');
    await said().getByText('Nothing was found in what was tried.').waitFor();
    const days = await step(/^Deposits, /).innerText();
    assert.match(days, /^Deposits, \d+.*20\d\d: \d+ read, 0 found$/);
    await results().getByText('by the date filter of the payment service').waitFor();
    await gateway.forgetCalls();
    await results().getByRole('button', { name: /^Search further back/ }).click();
    await step(/^Withdrawals, /).nth(1).getByText(/read/).waitFor();
    const calls = await gateway.calls();
    assert.equal(calls.length, 2);
    assert.ok(calls.every((call) => call.includes('startDate=') && call.includes('endDate=')));
    assert.equal(new URL(page.page.url()).hash.replace('#/', ''), '', 'the text is not in the URL');
  });

  test('a slow search is stopped, and continues on request', async () => {
    await open();
    await settled();
    await gateway.fault({ route: 'withdrawal', kind: 'hang' });
    await field().fill('51,70');
    await field().press('Enter');
    await results().getByRole('button', { name: 'Stop' }).click();
    await step('Withdrawals of').getByText('stopped').waitFor();
    assert.equal(await field().evaluate((element) => element === document.activeElement), true);
    await gateway.heal();
    await step('Withdrawals of').getByRole('button', { name: 'Continue' }).click();
    await step('Withdrawals of').getByText(/none|found/).waitFor();
    assert.equal(await results().getByRole('button', { name: 'Stop' }).count(), 0);
  });

  test('a failed step is repeated alone, and the others are shown', async () => {
    await open();
    await gateway.fault({ route: 'deposit', status: 503 });
    await field().fill('51,70');
    await field().press('Enter');
    await step('Deposits of').getByRole('alert').getByText(/[0-9a-f]{32}/).waitFor();
    await step('Withdrawals of').getByText(/none|found/).waitFor();
    await said().getByText('not everything was read').waitFor();
    await gateway.heal();
    await step('Deposits of').getByRole('button', { name: 'Try again' }).click();
    await step('Deposits of').getByText(/none|found/).waitFor();
    assert.equal(await results().getByRole('alert').count(), 0);
  });

  test('a day without deposits is said to have no failed deliveries to look for', async () => {
    await gateway.fault({ route: 'deposit', body: '{"total":0,"totalPages":0,"currentPage":1,"perPage":100,"data":[]}' });
    page = await openPage();
    await page.panel('Failed deliveries').getByText('0 of 0 deposits').waitFor();
  });

  test('failed deliveries are those of the dispatcher', async () => {
    const end = Date.now();
    await open();
    await settled();
    const { data } = await gateway.query('query ($filter: DepositFilter) { deposits(perPage: 100, filter: $filter) { nodes { id } } }', {
      filter: { startDate: new Date(end - 24 * 3_600_000).toISOString(), endDate: new Date(end).toISOString() },
    });
    const ids = data.deposits.nodes.map(({ id }) => id);
    const read = await gateway.query('query ($ids: [ID!]!) { transactions(ids: $ids) { id notifications { nodes { delivery { verdict } } } } }', { ids });
    const failed = read.data.transactions.filter((each) => each?.notifications?.nodes.some((node) => node && node.delivery.verdict !== 'DELIVERED'));
    const shown = await page.panel('Failed deliveries').locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.dataset.id));
    assert.deepEqual(shown, failed.map(({ id }) => id));
    await page.panel('Failed deliveries').getByText(`${ids.length} of ${ids.length} deposits`).waitFor();
  });

  const endToEndWithout = (count) => records.paid.endToEnd.slice(0, -count);
  const row = (id) => results().getByRole('table', { name: 'Deposits' }).locator(`[data-id="${id}"]`);

  test('a mistyped EndToEndId is called one, and leads to the payments that it may be of', async () => {
    await open();
    await find(endToEndWithout(1));
    await results().getByText('This looks like an EndToEndId, but it has 31 characters instead of 32. Check the receipt.').waitFor();
    await row(records.paid.id).getByText('possible match: one character differs').waitFor();
    await find(endToEndWithout(4));
    await results().getByText('it has 28 characters').waitFor();
    await row(records.paid.id).getByText('possible match: the same bank and about the same time').waitFor();
  });

  test('a payment is found by a part of its id or of its EndToEndId, as the page shows them, and by its amount with a name', async () => {
    const { id, endToEnd, amount, payer } = records.paid;
    await open();
    const shown = [id, endToEnd].map((each) => `${each.slice(0, 8)}…${each.slice(-4)}`);
    const reais = (amount / 100).toFixed(2).replace('.', ',');
    for (const text of [...shown, id.slice(0, 8), `${reais} ${payer.name.split(' ')[0]}`]) {
      await find(text, week);
      await row(id).getByText(`${endToEnd.slice(0, 8)}…${endToEnd.slice(-4)}`).waitFor();
      await row(id).getByText(/^paid (at|on) /).waitFor();
    }
    await find(`${reais} nobody has this name`); // so that it may be other words
    await step(/^Deposits of .* with the name nobody has this name/).getByText('none').waitFor();
    await row(id).waitFor();
    await said().getByText(/possible match(es)? found/).waitFor();
  });

  test('of an id that no record has, it is said which deposits were searched', async () => {
    await open();
    await find('00000000-0000-4000-8000-000000000000');
    await said().getByText(/^No transaction, withdrawal or webhook has this id\. Deposits were searched only on \d.*20\d\d\.$/).waitFor();
  });

  test('while the core is down, one message says so, and everything is repeated at once', async () => {
    await open();
    await settled();
    await gateway.fault({ service: 'core', status: 503 });
    await field().fill('51,70');
    await field().press('Enter');
    await said().getByText('not everything was read').waitFor();
    assert.equal(await results().getByRole('alert').count(), 1);
    const further = results().getByRole('button', { name: /^Search further back/ });
    assert.equal(await further.isDisabled(), true);
    await gateway.heal();
    await results().getByRole('button', { name: 'Try again' }).click();
    await step('Withdrawals of').getByText(/none|found/).waitFor();
    await said().getByText(/found/).waitFor();
    assert.equal(await further.isDisabled(), false);
  });

  test('without a scope for webhooks, payments are shown, with what cannot be read', async () => {
    page = await openPage({ persona: withoutDispatcher });
    await page.panel('Failed deliveries').getByRole('alert').getByText('Your access does not include webhooks').waitFor();
    await page.panel('Newest deposits').getByText('Not checked').first().waitFor();
    await page.panel('Newest deposits').getByRole('button', { name: 'Try again' }).waitFor();
  });

  test('a gateway without paging and links says what it cannot do', async () => {
    await open({ origin: bare.consoleURL });
    await page.panel('Failed deliveries').getByText('this gateway is not set up for that').waitFor();
    assert.equal(await page.panel('Newest deposits').getByRole('columnheader', { name: 'Webhooks' }).count(), 0);
    await find(records.named.payer.name, week);
    await step(/^Deposits, /).getByText('only the first page can be read').waitFor();
  });

  test('after signing in again, what the old token could not read is repeated', async () => {
    await open();
    await settled();
    page.watch.expect(/status of 401/);
    const refusal = { status: 401, json: { errors: [{ message: 'refused', extensions: { code: 'UNAUTHENTICATED' } }] } };
    await page.context.route('**/graphql', (route) => route.fulfill(refusal));
    await field().fill('51,70');
    await field().press('Enter');
    await results().getByRole('alert').first().waitFor();
    await page.context.unroute('**/graphql');
    await page.paste(gateway.token);
    await step('Deposits of').getByText(/none|found/).waitFor();
    assert.equal(await results().getByRole('alert').count(), 0);
  });

  test('the key / goes to the search', async () => {
    await open({ view: '#/deposits/2026-11-23' });
    await page.page.getByRole('heading', { level: 1 }).waitFor();
    await page.page.keyboard.press('/');
    await page.page.waitForFunction(() => document.activeElement?.id === 'find-text');
    await page.page.keyboard.type('1/2');
    assert.equal(await field().inputValue(), '1/2');
  });

  test('another user does not see the search', async () => {
    await open();
    await find('51,70');
    await page.page.getByRole('button', { name: 'Sign out' }).click();
    await page.paste(await gateway.mint({ subject: 'somebody-else' }));
    await page.panel('Newest deposits').waitFor();
    assert.equal(await field().inputValue(), '');
  });
});

/** Records of the last six days for the tests. */
async function recordsOf(gateway) {
  const filter = { startDate: new Date(Date.now() - 6 * 86_400_000).toISOString() };
  const { data } = await gateway.query(`query ($deposits: DepositFilter) {
    deposits(perPage: 100, filter: $deposits) { nodes { id createdAt paymentDate amount endToEnd payer { name document } pixResponse { uri } } }
    withdrawals(perPage: 100) { nodes { id endToEnd externalCode pixKey { key } } }
  }`, { deposits: filter });
  const deposits = data.deposits.nodes;
  const ids = deposits.map(({ id }) => id);
  const { data: read } = await gateway.query('query ($ids: [ID!]!) { transactions(ids: $ids) { id } }', { ids });
  const records = {
    named: deposits.find(({ payer }) => payer),
    // Not one whose status the sandbox changes.
    paid: deposits.find(({ payer, endToEnd, createdAt, paymentDate }) => payer && endToEnd && Date.parse(paymentDate) < Date.parse(createdAt) + 3_600_000),
    hexadecimal: data.withdrawals.nodes.find(({ endToEnd }) => /^E[\da-f]{31}$/.test(endToEnd)),
    masked: deposits.find(({ payer }) => payer && /^\*{3}/.test(payer.document)),
    withoutTransaction: deposits.find((_, index) => read.transactions[index] === null),
    withdrawal: data.withdrawals.nodes.find(({ endToEnd, externalCode, pixKey }) => endToEnd && externalCode?.length >= 8
      && pixKey && !pixKey.key.includes('*')),
  };
  for (const [name, record] of Object.entries(records)) assert.ok(record, `the sandbox has no record ${name}`);
  return records;
}
