// Finding a payment in Payments by what people say of it, and by receipts of banks.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { usePayments } from './suite.js';

describe('finding a payment by what is said of it', () => {
  const { gateway, openPage } = usePayments();
  let deposit, withdrawal, page;
  before(async () => {
    const { data } = await gateway.query(`{
      deposits(filter: { status: [PAID] }, perPage: 100) { nodes { id amount createdAt paymentDate payer { name } } }
      withdrawals(filter: { status: [PROCESSED] }, perPage: 100) { nodes { id payer { name } externalCode processedDate } }
    }`);
    deposit = data.deposits.nodes.find(({ payer, paymentDate }) => paymentDate && payer?.name.split(' ').length === 2);
    withdrawal = data.withdrawals.nodes.find(({ payer, externalCode, processedDate }) => payer && externalCode && processedDate);
  });

  const results = () => page.panel('Results');
  const row = ({ id }) => results().locator(`[data-id="${id}"]`);
  const reais = () => `R$ ${(deposit.amount / 100).toFixed(2).replace('.', ',')}`;
  const written = (instant) => new Date(instant).toLocaleString('pt-BR', { timeZone: 'America/Sao_Paulo' });

  async function find(text) {
    const field = page.page.getByRole('textbox', { name: 'Find a payment' });
    await field.fill(text);
    await field.press('Enter');
  }

  test('an amount with a day and a time, in a sentence and on a receipt', async () => {
    page = await openPage({ token: gateway.token });
    const [day, time] = written(deposit.paymentDate).split(', ');
    const receipt = `Comprovante de Pix\nValor\n${reais()}\nData e hora\n${day} - ${time}\nQuem pagou\n${deposit.payer.name}\nCPF ***.123.456-**`;
    for (const text of [`${reais()} ${day} ${time}`, `o cliente diz que pagou ${reais()} em ${day} às ${time.slice(0, 5)}`, receipt]) {
      await find(text);
      await row(deposit).waitFor();
      await results().getByText('The rest of the text, such as a time, was not compared.').waitFor();
    }
    await find(''); // closes the results
    await page.page.getByRole('textbox', { name: 'Find a payment' }).focus();
    await page.page.keyboard.insertText(`${'a line of an e-mail\n'.repeat(100)}${receipt}`);
    await page.page.keyboard.press('Enter');
    await row(deposit).waitFor();
    await find(`${reais()} ${day} de manhã`);
    await row(deposit).waitFor();
    await find(`${reais()} 31/02/2026`);
    await results().getByRole('alert').getByText('There is no such day. The days chosen above are searched.').waitFor();
  });

  test('a day alone leads to its lists', async () => {
    page = await openPage({ token: gateway.token });
    await find('23/11/2025');
    await results().getByText('This is a day.').waitFor();
    await results().getByRole('link', { name: 'Deposits, 23 November 2025' }).click();
    await page.page.getByText('23 November 2025, by day of creation').waitFor();
  });

  test('a name with the last name first', async () => {
    page = await openPage({ token: gateway.token });
    await find(`${deposit.payer.name.split(' ').reverse().join(' ').toUpperCase()} ${written(deposit.createdAt).split(',')[0]}`);
    await row(deposit).waitFor();
  });

  test('a withdrawal says when it was processed', async () => {
    page = await openPage({ token: gateway.token });
    await find(withdrawal.externalCode);
    await row(withdrawal).getByText(/^processed (at|on) \d/).waitFor();
    assert.equal(await page.page.getByText('undefined').count(), 0);
  });
});
