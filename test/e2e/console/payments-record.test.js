// The views of one record in Payments: what they show, that they follow a payment until it is paid, and links to share.

import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { checkWithAxe } from './axe.js';
import { fullAccess, withoutDispatcher } from './personas.js';
import { screens } from './screens.js';
import { usePayments } from './suite.js';
import { endLongTimers } from './timers.js';

describe('the view of a record in Payments', () => {
  const { gateway, openPage } = usePayments();
  let page;
  afterEach(() => gateway.heal());

  const status = () => page.page.locator('.head-status');

  for (const viewport of screens) {
    for (const colorScheme of ['light', 'dark']) {
      test(`${viewport.width} px, ${colorScheme}: shows a payment with its failed webhook`, async () => {
        const failed = await findFailed(gateway);
        page = await openPage({ viewport, colorScheme, view: `#/transaction/${failed.transaction}` });
        const card = page.panel('Webhooks').getByRole('article', { name: `Webhook ${failed.id}` });
        await card.getByText(new RegExp(`HTTP status ${failed.statusCode}\\.`)).waitFor();
        await card.getByText(`Tags: ${failed.tags.join(', ')}`).waitFor();
        assert.match(await card.getByRole('row').last().innerText(), new RegExp(`\\b${failed.statusCode}\\b`));
        assert.equal(await page.page.getByRole('heading', { level: 1 }).innerText().then((text) => text.replaceAll(/\D/g, '')), String(failed.amount));
        await page.panel('Timeline').getByText('Created').waitFor();
        await page.fits();
        await checkWithAxe(page, 'a payment');
        await page.saveScreenshot(`payments-transaction-${viewport.width}-${colorScheme}`);
      });
    }
  }

  test('in Portuguese, a status is neither cut nor over what is next to it, on every screen', async () => {
    const { openTransaction: id } = await gateway.samples();
    for (const status of ['PROCESSING_INFRACTION', 'INFRACTION']) await gateway.setStatus(id, status);
    page = await openPage({ locale: 'pt-BR', view: `#/transaction/${id}` });
    for (const width of [390, 768, 1100, 1366, 1920]) {
      await page.page.setViewportSize({ width, height: 900 });
      await page.panel('Histórico').getByText('Devolvido por contestação (MED)').waitFor();
      await page.fits();
      assert.deepEqual(await page.page.evaluate(wrongLabels), [], `${width} px`);
      await page.saveScreenshot(`payments-labels-${width}`);
    }
  });

  test('a failed payment says why, whether money moved, and what the customer can be told', async () => {
    const { openTransaction: id } = await gateway.samples();
    await gateway.setStatus(id, 'FAILED');
    page = await openPage({ locale: 'pt-BR', view: `#/transaction/${id}` });
    const head = page.page.locator('.head');
    await head.getByText('Falhou').waitFor();
    await head.getByText('Nenhum valor foi recebido: o registro não tem pagamento.').waitFor();
    await head.getByText('O pagamento não foi concluído e não recebemos nenhum valor.').waitFor();
    await page.fits();
  });

  test('asks to sign in at a shared link, and continues there', async () => {
    const { transaction: id } = await gateway.samples();
    page = await openPage({ view: `#/transaction/${id}`, persona: null });
    await page.page.getByRole('heading', { name: 'Sign in to see payments' }).waitFor();
    await checkWithAxe(page, 'signing in');
    await page.signIn(fullAccess);
    await page.panel('Details').waitFor();
    assert.equal(new URL(page.page.url()).hash, `#/transaction/${id}`);
  });

  test('is signed in in a new tab too, and keeps a pasted token for a reload if the user wants that', async () => {
    const { transaction: id } = await gateway.samples();
    page = await openPage({ view: `#/transaction/${id}` });
    const tab = await page.context.newPage();
    await tab.goto(page.page.url());
    await tab.getByRole('region', { name: 'Details' }).waitFor();
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await page.page.getByRole('heading', { name: 'Sign in to see payments' }).waitFor(); // in the other tab too
    for (const each of [tab, page.page]) {
      await each.reload();
      await each.getByRole('heading', { name: 'Sign in to see payments' }).waitFor();
    }
    await tab.close();
    const pasted = await openPage({ view: `#/transaction/${id}`, persona: null });
    await pasted.page.getByRole('checkbox', { name: 'Stay signed in' }).check();
    await pasted.paste(gateway.token);
    await pasted.reload();
    await pasted.panel('Details').waitFor();
  });

  test('copies a link with the view and the id, and no token', async () => {
    const { transaction: id } = await gateway.samples();
    page = await openPage({ view: `#/transaction/${id}`, permissions: ['clipboard-read', 'clipboard-write'] });
    await page.page.getByRole('button', { name: 'Copy link' }).click();
    await page.page.getByText('Copied', { exact: true }).waitFor();
    assert.equal(await page.clipboard(), new URL(`payments#/transaction/${id}`, gateway.consoleURL).href);
  });

  test('follows an open payment until it is paid', async () => {
    const { openTransaction: id } = await gateway.samples();
    await gateway.setStatus(id, 'PENDING');
    page = await openPage({ view: `#/transaction/${id}` });
    await status().getByText('Live').waitFor();
    await gateway.setStatus(id, 'PAID');
    await status().getByText('Paid').waitFor();
    await status().getByText('Live').waitFor({ state: 'detached' });
    await page.panel('Timeline').locator('.label', { hasText: 'Paid' }).first().waitFor();
  });

  test('connects again if nothing arrives, not even a heartbeat', async () => {
    const { openTransaction: id } = await gateway.samples();
    await gateway.setStatus(id, 'PENDING');
    page = await openPage({ view: `#/transaction/${id}`, token: gateway.token });
    await status().getByText('Live').waitFor();
    const connected = page.page.waitForRequest((request) => request.headers().accept?.startsWith('text/event-stream'));
    await endLongTimers(page.page); // including the one that begins when something arrives
    await connected;
    await status().getByText('Live').waitFor();
  });

  test('shows the payment while the dispatcher is down, and reads its webhooks again on request', async () => {
    const failed = await findFailed(gateway);
    await gateway.fault({ service: 'dispatcher', status: 503 });
    page = await openPage({ view: `#/transaction/${failed.transaction}` });
    await page.panel('Timeline').waitFor();
    await page.panel('Webhooks').getByText('The webhook service failed. The payment itself is not affected.').waitFor();
    await gateway.heal();
    await page.panel('Webhooks').getByRole('button', { name: 'Try again' }).click();
    await page.panel('Webhooks').getByRole('article', { name: `Webhook ${failed.id}` }).waitFor();
  });

  test('says which webhooks the access does not include', async () => {
    const failed = await findFailed(gateway);
    page = await openPage({ view: `#/transaction/${failed.transaction}`, persona: withoutDispatcher });
    await page.panel('Webhooks').getByText('Your access does not include webhooks (get_dispatcher). Ask your administrator.').waitFor();
    await page.panel('Details').waitFor();
  });

  test('shows a webhook, a withdrawal, and an id that does not exist with the id of the request', async () => {
    const failed = await findFailed(gateway);
    const { data } = await gateway.query('{ withdrawals { nodes { id amount } } }');
    page = await openPage({ view: `#/notification/${failed.id}` });
    await page.panel('About').getByRole('link').waitFor();
    await page.fits();
    await checkWithAxe(page, 'a webhook');
    await page.panel('About').getByRole('link').click();
    await page.panel('Webhooks').getByRole('article', { name: `Webhook ${failed.id}` }).waitFor();
    await page.go(`#/withdrawal/${data.withdrawals.nodes[0].id}`);
    await page.panel('Payer').or(page.panel('Receiver')).first().waitFor();
    await page.fits();
    await checkWithAxe(page, 'a withdrawal');
    await page.go('#/transaction/00000000-0000-4000-8000-000000000000');
    await page.page.getByRole('alert').getByText('There is no record with this id').waitFor();
    assert.match(await page.page.getByRole('alert').locator('code').innerText(), /^[0-9a-f]{32}$/);
  });

  test('searches an id that is that of another kind of record', async () => {
    const { data } = await gateway.query('{ withdrawals { nodes { id } } }');
    const [{ id }] = data.withdrawals.nodes;
    page = await openPage({ view: `#/transaction/${id}` });
    await page.page.getByRole('alert').getByText('There is no record with this id').waitFor();
    await page.page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
    await checkWithAxe(page, 'a record that does not exist');
    await page.page.getByRole('button', { name: 'Search for this id' }).click();
    await page.page.waitForURL((url) => url.hash === `#/withdrawal/${id}`);
    await page.page.getByText(/^Created \d/).waitFor();
  });

  test('says that the link of a deposit lacks its time, and searches its id', async () => {
    const deposit = await findAlone(gateway);
    page = await openPage({ view: `#/deposit/${deposit.id}` });
    await page.page.getByText('This link lacks the time of the deposit').waitFor();
    await page.page.getByRole('button', { name: 'Search for this id' }).click();
    await page.panel('Results').getByText('Transaction with this id: not found').waitFor();
  });

  test('says in Portuguese why a token cannot be pasted, and takes another one after one that was refused', async () => {
    const { transaction: id } = await gateway.samples();
    page = await openPage({ view: `#/transaction/${id}`, persona: null, locale: 'pt-BR' });
    await page.page.getByRole('button', { name: 'Colar um token' }).click();
    const dialog = page.page.getByRole('dialog');
    for (const [text, why] of [['a.b', 'Isto não é um token de acesso'], [await gateway.mint({ ttl: -60 }), 'Este token expirou.']]) {
      await dialog.getByRole('textbox').fill(text);
      await dialog.getByRole('button', { name: 'Usar este token' }).click();
      await dialog.getByRole('alert').getByText(why).waitFor();
      await page.page.keyboard.press('Escape');
      await page.page.getByRole('button', { name: 'Colar um token' }).click();
      assert.equal(await dialog.getByRole('textbox').inputValue(), '', 'a token that was not used does not stay for the next user');
    }
    page.watch.expect(/status of 401/);
    await dialog.getByRole('textbox').fill(gateway.token.replace(/\.[^.]*$/, '.AAAA'));
    await dialog.getByRole('button', { name: 'Usar este token' }).click();
    await page.page.getByRole('alert').getByText('O gateway não aceita o seu token').waitFor();
    await page.page.getByRole('button', { name: 'Entrar novamente' }).waitFor();
    await page.paste(gateway.token);
    await page.panel('Detalhes').waitFor();
    await page.page.getByRole('button', { name: 'Entrar novamente' }).waitFor({ state: 'detached' });
  });

  test('says why a user could not sign in again, and signs out although the storage is full', async () => {
    const { transaction: id } = await gateway.samples();
    page = await openPage({ view: `#/transaction/${id}`, token: gateway.token, locale: 'pt-BR' });
    await page.panel('Detalhes').waitFor();
    await page.page.clock.setFixedTime(Date.now() + 2 * 3_600_000);
    await page.page.getByRole('button', { name: 'Atualizar' }).click();
    await page.page.evaluate(() => {
      globalThis.open = () => null;
      for (let length = 1 << 22; length > 0;) {
        try {
          localStorage.setItem(`full ${localStorage.length}`, 'x'.repeat(length));
        } catch {
          length >>= 1;
        }
      }
    });
    await page.page.getByRole('button', { name: 'Entrar novamente' }).click();
    await page.page.getByRole('alert').getByText('O navegador bloqueou a janela.').waitFor();
    await page.page.getByRole('button', { name: 'Sair' }).click();
    await page.page.getByRole('heading', { name: 'Entre para ver os pagamentos' }).waitFor();
  });

  test('works for a user who denies storage to pages', async () => {
    const { transaction: id } = await gateway.samples();
    page = await openPage({ view: `#/transaction/${id}`, persona: null });
    await page.context.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage']) {
        Object.defineProperty(globalThis, name, { configurable: true, get() { throw new DOMException('denied', 'SecurityError'); } });
      }
    });
    await page.reload();
    await page.paste(gateway.token);
    await page.panel('Details').waitFor();
    await page.page.evaluate(() => { Object.defineProperty(globalThis, 'localStorage', { value: {} }); });
  });

  test('shows a deposit that has no transaction by its time', async () => {
    const deposit = await findAlone(gateway);
    page = await openPage({ view: `#/deposit/${deposit.id}?created=${encodeURIComponent(deposit.createdAt)}` });
    await page.page.getByText('There is no payment page for this deposit').waitFor();
    await page.panel('Details').waitFor();
    await page.fits();
    await checkWithAxe(page, 'a deposit');
  });

  test('is in Portuguese for a browser in Portuguese, in English after a change, and remembers it', async () => {
    const { transaction: id } = await gateway.samples();
    page = await openPage({ view: `#/transaction/${id}`, locale: 'pt-BR' });
    await page.panel('Detalhes').waitFor();
    assert.equal(await page.page.locator('html').getAttribute('lang'), 'pt-BR');
    await page.page.getByLabel('Idioma').selectOption('en');
    await page.panel('Details').waitFor();
    await page.reload();
    await page.page.getByRole('navigation', { name: 'Sections' }).waitFor();
  });
});

/** A notification that was rejected or failed, with its transaction. */
async function findFailed(gateway) {
  const { data: { deposits } } = await gateway.query('{ deposits(perPage: 100) { nodes { id amount } } }');
  for (let at = 0; at < deposits.nodes.length; at += 20) {
    const ids = deposits.nodes.slice(at, at + 20).map(({ id }) => id);
    const { data } = await gateway.query(`query ($ids: [ID!]!) {
      transactions(ids: $ids) { id amount notifications { nodes { id tags delivery { verdict lastStatusCode } } } }
    }`, { ids });
    for (const transaction of data.transactions) {
      const found = transaction?.notifications?.nodes.find((node) => node?.delivery.verdict === 'REJECTED');
      if (found) {
        const { id, tags, delivery: { lastStatusCode: statusCode } } = found;
        return { transaction: transaction.id, amount: transaction.amount, id, tags, statusCode };
      }
    }
  }
  throw new Error('the sandbox has no webhook that was rejected');
}

/** A deposit whose id no transaction has. */
async function findAlone(gateway) {
  for (let page = 1; page <= 20; page++) {
    const { data: { deposits } } = await gateway.query('query ($page: Int) { deposits(page: $page, perPage: 100) { nodes { id createdAt } } }', { page });
    for (let at = 0; at < deposits.nodes.length; at += 50) {
      const nodes = deposits.nodes.slice(at, at + 50);
      const { data } = await gateway.query('query ($ids: [ID!]!) { transactions(ids: $ids) { id } }', { ids: nodes.map(({ id }) => id) });
      const alone = nodes.find((_, index) => data.transactions[index] === null);
      if (alone) return alone;
    }
  }
  throw new Error('each deposit of the sandbox has a transaction');
}

/** In the page: the statuses that are cut, or that lie over what is next to them. */
function wrongLabels() {
  const labels = [...document.querySelectorAll('.label')].filter((label) => label.getClientRects().length > 0);
  const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return labels.filter((label) => {
    const box = label.getBoundingClientRect();
    const others = [...(label.closest('li, tr, .head-line') ?? label.parentElement).querySelectorAll('time, .amount, .fine, .label')];
    return label.scrollWidth > label.clientWidth || box.right > innerWidth
      || others.some((other) => other !== label && !other.contains(label) && over(box, other.getBoundingClientRect()));
  }).map((label) => label.textContent);
}
