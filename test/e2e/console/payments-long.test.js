// Payments at the size of a large shop: 70,000 deposits in a month, 12,000 of them on one day.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { startGateway } from '../gateway.js';
import { dayOf, daysAgo } from './days.js';
import { startProxy } from './proxy.js';
import { usePayments } from './suite.js';

const reais = (cents) => new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' }).format(`${cents}e-2`);
const plain = (text) => text.replaceAll(/[\u00a0\u202f]/g, ' ');
const count = (number) => number.toLocaleString('pt-BR');

describe('Payments of a large shop', () => {
  const { gateway, openPage } = usePayments('--sandbox-deposits=70000');
  const month = { from: daysAgo(30), to: daysAgo(1) };
  const busy = daysAgo(3);
  let proxy, behind, all, deposits, page;
  before(async () => {
    proxy = await startProxy('/', new URL(gateway.coreURL).origin);
    const core = new URL(new URL(gateway.coreURL).pathname.slice(1), proxy.url).href;
    const settings = gateway.settingsOfAPIs.filter((flag) => !flag.startsWith('--core-url'));
    behind = await startGateway(...settings, `--core-url=${core}`, '--paging-page-param=page', '--paging-per-page-param=perPage');
    const response = await fetch(gateway.url, {
      method: 'POST', headers: { ...gateway.headers, 'content-type': 'application/json', accept: 'application/x-ndjson' },
      body: JSON.stringify({ query: '{ deposits { nodes { id createdAt amount amountPaid } } }' }),
    });
    all = (await response.text()).trimEnd().split('\n').map((line) => JSON.parse(line));
    assert.equal(all.pop()['@download'].complete, true);
    deposits = all.filter(({ createdAt }) => dayOf(createdAt) >= month.from && dayOf(createdAt) <= month.to);
    assert.ok(deposits.length > 68_000, `${deposits.length}`);
  });
  after(async () => {
    await behind?.stop();
    await proxy?.close();
  });

  const open = (view, origin) => openPage({ locale: 'pt-BR', view, ...(origin && { origin, token: gateway.token }) });
  const sums = () => page.panel('Totais');
  const figure = async (name) => {
    const named = sums().locator('.figures > div').filter({ has: page.page.getByText(name, { exact: true }) });
    return plain(await named.locator('.amount').innerText());
  };

  async function wantSums(of) {
    await sums().getByText('Completo: os totais são os da lista inteira.').waitFor();
    const total = (name) => of.reduce((sum, each) => sum + BigInt(each[name] ?? 0), 0n);
    assert.equal(await figure('Quantidade'), count(of.length));
    assert.equal(await figure('Valor'), plain(reais(total('amount'))));
    assert.equal(await figure('Pago'), plain(reais(total('amountPaid'))));
  }

  test('the sums of a day of 12,000', async () => {
    const ofDay = deposits.filter(({ createdAt }) => dayOf(createdAt) === busy);
    assert.ok(ofDay.length >= 12_000, `${ofDay.length}`);
    page = await open(`#/deposits/${busy}`);
    await wantSums(ofDay);
  });

  test('the sums of a month of 70,000, with their progress, also after they were stopped', async () => {
    page = await open(`#/deposits/${month.from}..${month.to}`);
    const pages = Math.ceil(deposits.length / 100);
    await sums().getByText(new RegExp(`^\\d+ de ${pages} páginas, [\\d.]+ de [\\d.]+ depósitos$`)).waitFor();
    await sums().getByRole('progressbar').waitFor();
    await sums().getByRole('button', { name: 'Parar' }).click();
    await sums().getByText('Interrompido.').waitFor();
    await sums().getByRole('button', { name: 'Tentar novamente' }).click();
    await wantSums(deposits);
    const download = page.page.waitForEvent('download');
    await page.page.getByRole('button', { name: 'Totais para Excel' }).click();
    const rows = readFileSync(await (await download).path(), 'utf8').trimEnd().split('\r\n').slice(1);
    assert.equal(rows.reduce((sum, row) => sum + Number(row.split(';')[2]), 0), deposits.length);
  });

  test('the sums of a month are read day by day, and continue with the day at which they were stopped', async () => {
    page = await open('', behind.consoleURL);
    const asked = [];
    page.page.on('request', (request) => {
      const { fromDay, toDay } = request.postDataJSON()?.variables ?? {};
      if (!fromDay) return;
      asked.push(fromDay === toDay ? fromDay : 'all');
      if (asked.length === 5) proxy.respond = () => {}; // the service hangs
    });
    await page.page.evaluate((hash) => { location.hash = hash; }, `#/deposits/${month.from}..${month.to}`);
    while (proxy.respond === null) await page.page.waitForEvent('request');
    await sums().getByRole('button', { name: 'Parar' }).click();
    await sums().getByText('Interrompido.').waitFor();
    proxy.respond = null;
    proxy.cut(); // what hangs
    await sums().getByRole('button', { name: 'Tentar novamente' }).click();
    await wantSums(deposits);
    const days = Array.from({ length: 30 }, (_, index) => daysAgo(index + 1));
    const stopped = asked.findIndex((day, index) => day === asked[index - 1]);
    assert.ok(stopped >= 5, `${asked}`);
    assert.deepEqual(asked.toSpliced(stopped, 1), ['all', ...days]);
  });

  test('a file of 70,000 through a service that drops its connections for 100 ms every 5 s', async () => {
    let drops = 0;
    const drop = () => {
      drops++;
      proxy.respond = (outgoing) => outgoing.destroy();
      proxy.cut();
      setTimeout(() => { proxy.respond = null; }, 100);
    };
    page = await open(`#/deposits/${month.from}..${month.to}`, behind.consoleURL);
    page.watch.allow(/status of 502/); // if the first page of a day is read at that moment; the page reads it again
    const files = page.page.getByRole('group', { name: 'Arquivos' });
    await wantSums(deposits);
    const timer = setInterval(drop, 5_000);
    try {
      const download = page.page.waitForEvent('download');
      await files.getByRole('button', { name: 'CSV exato (para sistemas)' }).click();
      await files.getByRole('status').getByText(/[\d.]+ de [\d.]+ \(\d+ %\), .* até agora…$/).waitFor();
      drop();
      const file = await download;
      const rows = readFileSync(await file.path(), 'utf8').trimEnd().split('\r\n').slice(1);
      assert.ok(drops > 0);
      assert.deepEqual(rows.map((row) => row.split(',')[0]).sort(), deposits.map(({ id }) => id).sort());
      await files.getByRole('status').getByText(`Completo: ${count(deposits.length)} de ${count(deposits.length)}.`).waitFor();
      assert.equal(await files.locator('.files-bad').count(), 0);
    } finally {
      clearInterval(timer);
    }
  });

  test('a file whose service is away for more than a minute says which one, and continues from there', async () => {
    const days = { from: daysAgo(4), to: daysAgo(2) };
    const of = deposits.filter(({ createdAt }) => dayOf(createdAt) >= days.from && dayOf(createdAt) <= days.to);
    page = await open(`#/deposits/${days.from}..${days.to}`, behind.consoleURL);
    page.watch.allow(/status of 50\d/);
    await wantSums(of);
    let opened = 0;
    await page.page.route('**/graphql', async (route) => {
      if (route.request().headers().accept.startsWith('text/csv') && ++opened === 2) { // the second day
        proxy.respond = (outgoing) => outgoing.destroy();
        proxy.cut();
      }
      await route.continue();
    });
    await page.page.evaluate(() => {
      const begin = globalThis.setTimeout;
      globalThis.setTimeout = (act, delay, ...values) => begin(act, Math.min(delay, 10), ...values);
      globalThis.waitAgain = () => { globalThis.setTimeout = begin; };
    });
    const files = page.page.getByRole('group', { name: 'Arquivos' });
    await files.getByRole('button', { name: 'CSV exato (para sistemas)' }).click();
    await files.getByRole('status').getByText(
      /: O serviço de pagamentos (não responde|falhou)\. [\d.]+ de [\d.]+ \(\d+ %\), \d+(,\d)? [KM]B até agora… Continue a partir daí ou descarte\.$/,
    ).waitFor();
    proxy.respond = null;
    await page.page.evaluate(() => globalThis.waitAgain());
    const download = page.page.waitForEvent('download');
    await files.getByRole('button', { name: 'Continuar' }).click();
    const rows = readFileSync(await (await download).path(), 'utf8').trimEnd().split('\r\n').slice(1);
    assert.deepEqual(rows.map((row) => row.split(',')[0]).sort(), of.map(({ id }) => id).sort());
    await files.getByRole('status').getByText(`Completo: ${count(of.length)} de ${count(of.length)}.`).waitFor();
  });

  test('a name that thousands have is found in each, and the newest are drawn', async () => {
    page = await open('');
    await page.page.getByRole('textbox', { name: 'Localizar um pagamento' }).fill('ar');
    await page.page.keyboard.press('Enter');
    const results = page.panel('Resultados');
    const rows = results.getByRole('table', { name: 'Depósitos' }).locator('tbody tr');
    await results.getByText(/^\d[\d.]{4,} registros encontrados\.$/).waitFor();
    await results.getByText(/^Os 200 mais recentes de [\d.]{5,}\./).waitFor();
    assert.equal(await rows.count(), 200);
    await results.getByRole('button', { name: 'Mostrar mais 200' }).click();
    await rows.nth(399).waitFor();
  });

  test('a name that nobody has is searched in all of the chosen days', async () => {
    page = await open('');
    await page.page.getByLabel('Dias da busca').selectOption({ label: 'Últimos 7 dias' });
    await page.page.getByRole('textbox', { name: 'Localizar um pagamento' }).fill('Ninguém Jamais');
    await page.page.keyboard.press('Enter');
    const read = all.filter(({ createdAt }) => dayOf(createdAt) >= daysAgo(6)).length;
    const results = page.panel('Resultados');
    await results.getByText('Nada foi encontrado').first().waitFor();
    assert.ok(read > 12_000);
    await results.getByRole('listitem').filter({ hasText: 'Depósitos' }).getByText(`${count(read)} lidos, nenhum encontrado`).waitFor();
  });
});
