// The sums and the files of lists in Payments: they match the records, and nothing partial is shown as if it were whole.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, describe, test } from 'node:test';
import { checkWithAxe } from './axe.js';
import { dayOf, daysAgo } from './days.js';
import { desktop, screens } from './screens.js';
import { usePayments } from './suite.js';

const reais = (cents) => new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'BRL' }).format(Number(cents) / 100);
const plain = (text) => text.replaceAll(/[\u00a0\u202f]/g, ' ');
const sumOf = (records, name) => records.reduce((sum, record) => sum + BigInt(record[name] ?? 0), 0n);

describe('sums and files in Payments', () => {
  const { gateway, openPage } = usePayments();
  let page;
  afterEach(() => gateway.heal());

  /** A figure of the sums, such as 'Amount'. */
  const figure = async (name, panel = 'Sums') => {
    const value = page.panel(panel).locator('.figures > div').filter({ has: page.page.getByText(name, { exact: true }) }).locator('.amount');
    return plain(await value.innerText());
  };
  const says = (text) => page.page.getByRole('group', { name: 'Files' }).getByRole('status').filter({ hasText: text }).waitFor();
  const complete = () => page.panel('Sums').getByText(/^Complete/).waitFor();

  /** Presses a button that saves a file, and returns its name and text. */
  async function saved(button) {
    const download = page.page.waitForEvent('download');
    await page.page.getByRole('button', { name: button }).click();
    const file = await download;
    return [file.suggestedFilename(), readFileSync(await file.path(), 'utf8')];
  }

  /** All records of the sandbox of the last weeks. */
  async function recordsOf(kind, fields) {
    const records = [];
    for (let number = 1; number <= 3; number++) {
      const { data } = await gateway.query(`query ($page: Int) { ${kind}(page: $page, perPage: 100) { nodes { id createdAt ${fields} } } }`, { page: number });
      records.push(...data[kind].nodes);
    }
    return records;
  }

  for (const viewport of screens) {
    for (const colorScheme of ['light', 'dark']) {
      test(`${viewport.width} px, ${colorScheme}: yesterday's sums and file, in two clicks and a third`, async () => {
        const yesterday = daysAgo(1);
        const created = (await recordsOf('deposits', 'amount')).filter(({ createdAt }) => dayOf(createdAt) === yesterday);
        page = await openPage({ viewport, colorScheme });
        await page.page.getByRole('link', { name: 'Deposits', exact: true }).click();
        await page.page.getByRole('button', { name: 'Yesterday' }).click();
        await page.page.getByRole('button', { name: 'Yesterday', pressed: true }).waitFor(); // no longer the sums of today
        await complete();
        assert.equal(new URL(page.page.url()).hash, `#/deposits/${yesterday}`);
        assert.equal(await figure('Count'), String(created.length));
        assert.equal(await figure('Amount'), plain(reais(sumOf(created, 'amount'))));
        await page.panel('List').getByText(`Page 1 of 1, ${created.length} deposits`).first().waitFor();
        await page.fits();
        const table = page.panel('List').locator('.table-scroll');
        const hidden = await table.evaluate((box) => [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight]);
        assert.deepEqual(hidden, [0, 0], 'the rows scroll within the page');
        await checkWithAxe(page, 'a list');
        await page.saveScreenshot(`payments-list-${viewport.width}-${colorScheme}`);
        const [name, text] = await saved('Exact CSV');
        assert.equal(name, `depositos-${yesterday}-exato.csv`);
        const [, ...rows] = text.trimEnd().split('\r\n');
        assert.deepEqual(rows.map((row) => row.split(',')[0]).sort(), created.map(({ id }) => id).sort());
        await says(new RegExp(`saved ${created.length} deposits, .* Complete: ${created.length} of ${created.length}\\.`));
      });
    }
  }

  test('payments of a day, also of deposits that were created before it', async () => {
    // The open payments of the sandbox are paid today, so that those of other days stay.
    const all = await recordsOf('deposits', 'amountPaid paymentDate endToEnd');
    const paidOn = (day) => all.filter(({ paymentDate }) => paymentDate && dayOf(paymentDate) === day);
    const day = [1, 2, 3, 4, 5, 6, 7].map(daysAgo).find((each) => paidOn(each).length > 1);
    const paid = paidOn(day);
    page = await openPage({ view: `#/deposits/${day}` });
    await complete();
    await page.page.getByLabel('By day of').selectOption('payment');
    await page.panel('Sums').getByText(/^Complete, of the records that were created since/).waitFor();
    assert.equal(new URL(page.page.url()).hash, `#/deposits/${day}?by=payment`);
    assert.equal(await figure('Paid'), plain(reais(sumOf(paid, 'amountPaid'))));
    await page.panel('List').getByText(`Page 1 of 1, ${paid.length} deposits`).first().waitFor();
    const rows = page.panel('List').locator('tbody tr');
    assert.equal(await rows.count(), paid.length);
    const statement = await rows.evaluateAll((each) => each.map((row) => [
      row.dataset.id, row.querySelector('.row-time .fine time').dateTime, row.querySelector('.row-party code').title,
    ]));
    assert.deepEqual(statement.sort(), paid.map(({ id, paymentDate, endToEnd }) => [id, paymentDate, endToEnd]).sort());
    const [name, text] = await saved('Exact CSV');
    assert.equal(name, `depositos-${day}-por-pagamento-exato.csv`);
    assert.deepEqual(text.trimEnd().split('\r\n').slice(1).map((row) => row.split(',')[0]).sort(), paid.map(({ id }) => id).sort());
    await says(/Complete, of the records that were created since .*\. Complete: (\d+) of \1\. Read, but not paid on these days: \d+ deposits?\.$/);
  });

  test('refunds of withdrawals in a month, by status and by day', async () => {
    const days = { from: daysAgo(20), to: daysAgo(1) };
    const all = await recordsOf('withdrawals', 'refundDate refundAmount');
    const refunded = all.filter(({ refundDate }) => refundDate && dayOf(refundDate) >= days.from && dayOf(refundDate) <= days.to);
    page = await openPage({ view: `#/withdrawals/${days.from}..${days.to}?by=refund&before=30` });
    await complete();
    assert.equal(await figure('Refunded'), plain(reais(sumOf(refunded, 'refundAmount'))));
    const byDay = page.panel('Sums').getByRole('region', { name: 'By day' }).locator('tbody tr');
    assert.equal(await byDay.count(), new Set(refunded.map(({ refundDate }) => dayOf(refundDate))).size);
    await page.panel('Sums').getByRole('region', { name: 'By status' }).getByRole('link', { name: 'Refunded' }).click();
    await page.page.waitForFunction(() => [...document.querySelectorAll('select')].some(({ value }) => value === 'REFUNDED'));
    await page.panel('List').getByText(`Page 1 of 1, ${refunded.length} withdrawals`).first().waitFor();
    await page.page.locator('a:focus', { hasText: 'Refunded' }).waitFor();
    await complete();
    assert.equal(await figure('Count'), String(refunded.length));
  });

  test('net is not known with a paid deposit without a fee, and what was not kept is said', async () => {
    const records = [
      { status: 'PAID', amountPaid: 1000, feeAmount: 0.25 }, { status: 'INFRACTION', amountPaid: 500036, feeAmount: 1 }, { status: 'BLOCKED', amountPaid: 200 },
    ];
    const body = (data) => JSON.stringify({
      total: data.length, totalPages: 1, currentPage: 1, perPage: 100,
      data: data.map((record, index) => ({ id: `f2dc7925-3b96-4b1f-a7ad-00000000000${index}`, amount: 1, createdAt: `${daysAgo(1)}T12:00:00Z`, ...record })),
    });
    await gateway.fault({ route: 'deposit', body: body(records) });
    page = await openPage({ view: `#/deposits/${daysAgo(1)}` });
    await complete();
    assert.equal(await figure('Paid'), 'R$5,012.36');
    assert.equal(await figure('Net'), '—');
    await page.panel('Sums').getByText('not known: some paid deposits have no fee').waitFor();
    const note = page.panel('Sums').getByText(/R\$5,000\.36 returned by dispute \(MED\) and R\$2\.00 blocked, for which the records have no refund\.$/);
    assert.match(await note.innerText(), /^Paid includes/);
    await gateway.heal();
    await gateway.fault({ route: 'deposit', body: body(records.slice(0, 2)) });
    await page.panel('Sums').getByRole('button', { name: 'Refresh' }).click();
    await page.panel('Sums').getByText(/^Paid and net include R\$5,000\.36 returned by dispute \(MED\),/).waitFor();
    assert.equal(await figure('Net'), 'R$5,010.35');
    assert.equal(await page.panel('Sums').locator('.figures [title]').first().getAttribute('title'), 'R$5,010.3475');
  });

  test('sums of a list of which a page fails are not shown as those of the whole list', async () => {
    page = await openPage({ view: `#/deposits/${daysAgo(40)}..${daysAgo(10)}` });
    await complete();
    await page.panel('List').getByText(/^Page 1 of/).first().waitFor();
    await gateway.fault({ route: 'deposit', status: 403, after: 1 }); // the second page, which is not read again
    await page.panel('Sums').getByRole('button', { name: 'Refresh' }).click();
    const alert = page.panel('Sums').getByRole('alert');
    await alert.getByText('These sums are NOT those of the whole list.').waitFor();
    await alert.getByText('A page of the list could not be read.').waitFor();
    await alert.getByText('Your access does not include this.').waitFor();
    assert.equal(await page.panel('Sums').getByText(/^Complete/).count(), 0);
    assert.match(await alert.locator('code').innerText(), /^[0-9a-f]{32}$/);
    await checkWithAxe(page, 'sums that are not complete');
    await gateway.heal();
    await page.panel('Sums').getByRole('button', { name: 'Refresh' }).click();
    await complete();
  });

  test('a file whose pages are missing at its end is not saved', async () => {
    page = await openPage({ view: `#/deposits/${daysAgo(40)}..${daysAgo(10)}` });
    await complete();
    await page.panel('List').getByText(/^Page 1 of/).first().waitFor(); // the fault counts calls, and begins with the file's
    await gateway.fault({ route: 'deposit', status: 403, after: 2 }); // the second page, after the count and the first one
    await page.page.getByRole('button', { name: 'Exact CSV' }).click();
    await says('Your access does not include this. Nothing was saved.');
  });

  test('a download is stopped', async () => {
    page = await openPage({ view: `#/deposits/${daysAgo(1)}` });
    await complete();
    await gateway.fault({ route: 'deposit', kind: 'hang' });
    await page.page.getByRole('button', { name: 'Exact CSV' }).click();
    await says('waiting for the gateway');
    await page.page.getByRole('button', { name: 'Stop' }).click();
    await says('stopped, nothing was saved.');
    await page.page.getByRole('button', { name: 'Exact CSV' }).waitFor();
  });

  test('a file for Excel in Portuguese, of one status, and the sums for it', async () => {
    const days = { from: daysAgo(20), to: daysAgo(5) };
    const all = await recordsOf('withdrawals', 'statusRaw amount');
    const processed = all.filter(({ statusRaw, createdAt }) => statusRaw === 'PROCESSED' && dayOf(createdAt) >= days.from && dayOf(createdAt) <= days.to);
    page = await openPage({ view: `#/withdrawals/${days.from}..${days.to}?status=PROCESSED` });
    await complete();
    const [name, text] = await saved('CSV for Excel');
    assert.equal(name, `saques-${days.from}-a-${days.to}-processed.csv`);
    const [head, ...rows] = text.replace('\ufeff', '').trimEnd().split('\r\n');
    const amount = head.split(';').indexOf('amount');
    const cents = new Map(rows.map((row) => [row.split(';')[0], row.split(';')[amount].replace(',', '')]));
    assert.deepEqual([...cents].sort(), processed.map((each) => [each.id, String(each.amount).padStart(3, '0')]).sort());
    await says(new RegExp(`saved ${processed.length} withdrawals, .* Complete`));
    const [nameOfSums, sums] = await saved('Sums for Excel');
    assert.equal(nameOfSums, `saques-${days.from}-a-${days.to}-processed-totais.csv`);
    assert.match(sums, /^\ufeffday;statusRaw;count;amount;/);
    await says('Complete: the sums are those of the whole list.');
  });

  test('in Portuguese', async () => {
    page = await openPage({ viewport: desktop, locale: 'pt-BR', view: `#/deposits/${daysAgo(9)}..${daysAgo(1)}?by=payment` });
    await page.panel('Totais').getByText(/^Completo, entre os registros criados desde /).waitFor();
    await page.page.getByRole('button', { name: 'Semana passada' }).waitFor();
    await page.panel('Lista').getByText(/^Página 1 de \d, \d+ depósitos$/).first().waitFor();
    const [, text] = await saved('CSV para Excel');
    assert.match(text, /^\ufeffid;criado_em;pago_em;situacao;valor;valor_pago;tarifa;.*;pagador\.nome;pagador\.documento;/);
    assert.equal(text.trimEnd().split('\r\n').length - 1, Number(await figure('Quantidade', 'Totais')));
    assert.match(text, /;Pago;/);
    assert.doesNotMatch(text, /;PAID;/);
    const [, sums] = await saved('Totais para Excel');
    assert.match(sums, /^\ufeffdia;situacao;quantidade;valor;valor_pago;valor_devolvido;tarifa;valor_liquido\r\n/);
    const [, exact] = await saved('CSV exato (para sistemas)');
    assert.match(exact, /^id,createdAt,paymentDate,statusRaw,/);
    assert.match(exact, /,PAID,/);
  });
});

describe('sums in Payments of a gateway that may read few pages', () => {
  const { openPage } = usePayments('--limits-cost=2');

  test('has the sums of a long list', async () => {
    const page = await openPage({ view: `#/deposits/${daysAgo(42)}..${daysAgo(2)}` }); // three pages of 100
    await page.panel('Sums').getByText(/^Complete/).waitFor();
    await page.panel('List').getByText(/^Page 1 of/).first().waitFor();
  });
});

for (const [unit, exponent, net] of [['cents', -2, 0], ['reais', 0, 1]]) {
  describe(`fees in ${unit}`, () => {
    const { gateway, openPage } = usePayments(`--console-fees=${unit}`);

    test('are money in the view of a payment and in sums', async () => {
      const { data: { deposits } } = await gateway.query('{ deposits(perPage: 20, filter: { status: [PAID] }) { nodes { id } } }');
      const ids = deposits.nodes.map(({ id }) => id);
      const { data } = await gateway.query('query ($ids: [ID!]!) { transactions(ids: $ids) { id feeAmount } }', { ids });
      const { id, feeAmount } = data.transactions.find((each) => each?.feeAmount);
      const page = await openPage({ view: `#/transaction/${id}` });
      const fee = page.panel('Details').locator('dl > div').filter({ has: page.page.getByText('Fee', { exact: true }) }).locator('.amount');
      const money = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'BRL' }).format(`${feeAmount}E${exponent}`);
      assert.equal(plain(await fee.innerText()), plain(money));
      await page.go(`#/deposits/${daysAgo(9)}..${daysAgo(1)}`);
      await page.panel('Sums').getByText(/^Complete/).waitFor();
      assert.match(await page.panel('Sums').locator('.figures > div').filter({ hasText: /^Fees/ }).innerText(), /^Fees\s+R\$[\d,]+\.\d\d$/);
      assert.equal(await page.page.getByText('unit not documented').count(), 0);
      assert.equal(await page.panel('Sums').locator('.figures').getByText('not known: the API counts fees in reais').count(), net);
    });
  });
}
