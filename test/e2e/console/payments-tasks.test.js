// What support and accounting people do in Payments: each task in at most four actions, of which none types JSON, against the
// sandbox, and against a strange API.

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { startGateway } from '../gateway.js';
import { dayOf, daysAgo } from './days.js';
import { fullAccess } from './personas.js';
import { otherId, startStrange } from './strange.js';
import { usePayments } from './suite.js';

const mostActions = 4;

describe('tasks in Payments', () => {
  const { gateway, openPage } = usePayments();
  let strange, other, payment, withdrawal, undelivered, unpaid, page, actions;
  before(async () => {
    strange = await startStrange(gateway.coreURL);
    const settings = gateway.settingsOfAPIs.filter((flag) => !flag.startsWith('--core-url'));
    other = await startGateway(
      ...settings, `--core-url=${strange.url}`, '--paging-page-param=page', '--paging-per-page-param=perPage', '--links-metadata-pointer=/notificationIds',
    );
    ({ payment, withdrawal, undelivered, unpaid } = await samplesOf(gateway));
  });
  after(async () => {
    await other?.stop();
    await strange?.close();
  });
  afterEach(() => {
    assert.ok(actions <= mostActions, `${actions} actions`);
    Object.assign(strange, { held: null, edit: () => {} });
    return gateway.heal();
  });

  /** Opens the page of one of the gateways; with a token, which the strange one accepts too. */
  async function open(which, options = {}) {
    actions = 0;
    page = await openPage({ token: gateway.token, origin: (which === 'sandbox' ? gateway : other).consoleURL, ...options });
  }

  const act = (done) => {
    actions++;
    return done;
  };
  const field = () => page.page.getByRole('textbox', { name: 'Find a payment' });
  const find = async (text) => {
    await act(field().fill(text));
    await act(page.page.keyboard.press('Enter'));
  };
  const results = () => page.panel('Results');
  const amount = () => page.page.getByRole('heading', { level: 1 });
  const digits = (cents) => String(cents);
  const shownDigits = async (locator) => (await locator.innerText()).replaceAll(/\D/g, '');

  /** The links of results, which lead to the views of records. */
  async function openResult(name) {
    await act(results().getByRole('link', { name }).first().click());
  }

  for (const which of ['sandbox', 'strange API']) {
    describe(`on the ${which}`, () => {
      test('find a payment by its id', async () => {
        await open(which);
        await find(payment.id);
        await page.panel('Details').waitFor();
        assert.equal(await shownDigits(amount()), digits(payment.amount));
      });

      const texts = {
        'the EndToEndId of its receipt': () => payment.endToEnd,
        'its external code': () => payment.externalCode,
        'the name of its payer, without accents': () => payment.payer.name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase(),
        'its amount': () => `R$ ${(payment.amount / 100).toFixed(2).replace('.', ',')}`,
        'the Pix key of its payer': () => payment.payer.pix.key,
      };
      for (const [what, text] of Object.entries(texts)) {
        test(`find a payment by ${what}`, async () => {
          await open(which);
          await find(text());
          await results().getByRole('row').filter({ hasText: payment.payer.name }).first().waitFor();
          await openResult(/20\d\d/);
          await page.panel('Details').getByText(payment.endToEnd).waitFor();
        });
      }

      test('find a withdrawal by its EndToEndId', async () => {
        await open(which);
        await find(withdrawal.endToEnd);
        await page.panel('Details').or(results().getByRole('link')).first().waitFor();
        if (await page.panel('Details').count() === 0) await openResult(/20\d\d/);
        await page.panel('Details').getByText(withdrawal.endToEnd).waitFor();
      });

      test('see the sums and the list of yesterday, and get its file', async () => {
        await open(which);
        await act(page.panel('Lists').getByRole('link', { name: 'Yesterday' }).first().click());
        await page.page.getByText(/R\$/).first().waitFor();
        await page.page.evaluate(() => { globalThis.showSaveFilePicker = undefined; }); // its dialog is that of the browser
        const saved = page.page.waitForEvent('download');
        await act(page.page.getByRole('button', { name: /Excel/ }).first().click());
        const file = await (await saved).createReadStream();
        const text = (await file.toArray()).join('');
        assert.match(text, /^\ufeff?id;/);
        const uncounted = await page.page.getByText(/does not count its records/).count();
        assert.equal(uncounted > 0, which !== 'sandbox');
        assert.equal(await page.page.getByText('It is not known whether these sums are').count(), which === 'sandbox' ? 0 : 1);
        assert.equal(await page.page.getByText(/These sums are NOT/).count(), 0);
      });

      test('see why no webhook arrived', async () => {
        await open(which);
        await find(undelivered);
        await page.panel('Webhooks').getByText(/HTTP status \d|No attempt/).first().waitFor();
      });

      test('watch a payment until it is paid', async () => {
        await open(which);
        await find(unpaid[which]);
        await page.panel('Details').waitFor();
        await gateway.setStatus(unpaid[which], 'PAID');
        await page.page.locator('.head-status').getByText('Paid').waitFor();
      });

      test('share a payment', async () => {
        await open(which);
        await find(payment.id);
        await page.panel('Details').waitFor();
        const link = page.page.url();
        assert.ok(!link.includes(gateway.token.slice(0, 20)));
        const colleague = await openPage({ view: new URL(link).hash, persona: null, origin: new URL(link).origin + '/' });
        await act(colleague.paste(gateway.token));
        await colleague.panel('Details').waitFor();
      });
    });
  }

  test('see first why webhooks did not arrive, on the sandbox, whose deposits have transactions', async () => {
    await open('sandbox');
    await act(page.panel('Failed deliveries').getByRole('link').first().click());
    await page.panel('Webhooks').getByText(/HTTP status \d|No attempt/).first().waitFor();
  });

  test('on the strange API, whose deposits have no transactions, the page does not say that their webhooks were delivered', async () => {
    await open('strange API');
    await page.panel('Failed deliveries').getByText('have no transaction').waitFor();
    assert.equal(await page.panel('Failed deliveries').getByText('No failed delivery').count(), 0);
  });

  test('on the strange API, a deposit whose id is no transaction has a view of its own', async () => {
    await open('strange API', { view: `#/deposit/${otherId(payment.id)}?created=${encodeURIComponent(payment.createdAt)}` });
    await page.page.getByText('There is no payment page for this deposit').waitFor();
    await page.panel('Details').getByText(payment.endToEnd).waitFor();
  });

  test('a payment with hostile texts is shown as it is, and the rest of the page works', async () => {
    strange.edit = (body) => {
      if (body.id !== payment.id) return;
      body.status = '__proto__';
      body.payer.document = 'W'.repeat(1_000_000);
      body.customer = { name: 'x', document: { type: 'cpf', value: body.payer.document } };
      body.pixResponse = { uri: 'W'.repeat(1_000_000), qrCodeBase64: 'javascript:alert(1)', expirationDate: 'W'.repeat(100) };
      body.payer.name = `${'\u202e'}loaP oãoJ${'x'.repeat(1_000)}`;
      body.errorMessage = 'E'.repeat(1_000_000);
      body.paymentReceipt = { url: 'javascript:alert(1)', expirationDate: '2026-11-23T10:00:00Z' };
      body.statusHistory = Array.from({ length: 900 }, (_, index) => (
        { status: index === 899 ? 'REFUNDED' : 'PENDING', date: new Date(1.7e12 + index * 1000) }
      ));
    };
    await open('strange API', { view: `#/transaction/${payment.id}`, viewport: { width: 1280, height: 900 } });
    await page.page.locator('.head-status').getByText('__proto__').waitFor();
    assert.equal(await page.page.locator('.head-parties bdi').count(), 2);
    assert.equal(await page.panel('Details').getByRole('link').count(), 0);
    await page.panel('Timeline').getByText('earlier entries').waitFor();
    await page.panel('Timeline').getByText('Refunded').waitFor();
    await page.fits();
    assert.ok(await page.page.evaluate(() => document.documentElement.scrollHeight) < 10_000);
    const { failedNotification: id } = await gateway.samples();
    const notification = await (await fetch(`${gateway.dispatcherURL}/request/${id}`, { headers: gateway.headers })).json();
    const long = 'W'.repeat(10_000);
    await gateway.fault({ service: 'dispatcher', body: JSON.stringify({ ...notification, status: long, referenceId: long, url: `javascript:${long}` }) });
    await page.page.setViewportSize({ width: 390, height: 900 });
    await page.fits();
    await page.go(`#/notification/${id}`);
    await page.panel('Delivery').getByText('WWW').first().waitFor();
    await page.fits();
    await page.go(`#/deposits/2026-11-23?by=payment&before=999999999&status=${long}`);
    await page.page.getByRole('heading', { name: 'Deposits', level: 1 }).waitFor();
    await page.fits();
    await page.go('#/deposits/2026-13-45');
    await page.page.getByText('This link is incomplete or wrong').waitFor();
    page.watch.expect(/Invalid time value/);
    await page.go('#/deposits/9999-12-31'); // the day after it has five digits in its year
    await page.page.getByText('This view cannot be shown').waitFor();
    await page.page.getByRole('link', { name: 'Deposits', exact: true }).click();
    await page.panel('Sums').waitFor();
  });

  test('a list with a time and a status of any length fits', async () => {
    strange.edit = (body) => body.data?.forEach((record) => {
      record.paymentDate = 'x'.repeat(100_000);
      record.status = 'W'.repeat(100_000);
    });
    const day = dayOf(payment.createdAt);
    await open('strange API', { view: `#/deposits/${day}`, viewport: { width: 1280, height: 900 } });
    await page.panel('List').getByText(`paid ${'x'.repeat(40)}…`).first().waitFor();
    await page.fits();
  });

  test('with slow APIs, the page says that it reads, and shows what it has read', async () => {
    let release;
    strange.held = new Promise((resolve) => { release = resolve; });
    await open('strange API', { view: `#/transaction/${payment.id}` });
    await page.page.getByRole('status').getByText('Reading…').waitFor();
    release();
    await page.panel('Details').waitFor();
  });

  test('while the dispatcher is down, payments are found and lists are shown', async () => {
    await gateway.fault({ service: 'dispatcher', status: 503 });
    await open('sandbox');
    await page.panel('Failed deliveries').getByRole('alert').waitFor();
    await find(payment.id);
    await page.panel('Timeline').waitFor();
  });

  test('see the sums of some days', async () => {
    await open('sandbox', { viewport: { width: 1280, height: 900 }, view: `#/deposits/${daysAgo(5)}..${daysAgo(2)}` });
    await page.panel('Sums').getByText(/^Complete/).waitFor();
    await page.panel('Sums').getByRole('row', { name: /^Total/ }).first().waitFor();
    await page.saveSmallScreenshot('payments-list');
  });

  test('it loads at most 300 KiB, and nothing of the editor of GraphiQL', async () => {
    await open('sandbox');
    await page.page.waitForLoadState('networkidle');
    const sizes = await page.watch.transferred();
    assert.ok(sizes <= 300 * 1024, `${sizes} bytes`);
    const assets = page.watch.requests.map((request) => request.url()).filter((url) => url.includes('/assets/'));
    assert.ok(assets.length > 0 && !assets.some((url) => /monaco|editor|graphql/.test(url)), assets.join('\n'));
  });

  test('a user whose rate is exceeded waits, and sees no error', async () => {
    const limited = await startGateway(
      ...gateway.settingsOfAPIs, '--paging-page-param=page', '--paging-per-page-param=perPage', '--links-metadata-pointer=/notificationIds',
      '--rate-identity=50', '--rate-identity-burst=50',
    );
    try {
      await open('sandbox', { origin: limited.consoleURL, token: undefined, persona: null });
      page.watch.expect(/429/);
      await page.context.route('**/graphql', async (route) => route.fulfill(await refusalBy(limited, gateway)), { times: 1 });
      await page.paste(gateway.token);
      await page.panel('Newest deposits').getByRole('row').nth(1).waitFor();
      await page.panel('Failed deliveries').getByRole('link').first().waitFor();
      assert.equal(await page.page.getByRole('alert').filter({ hasText: /./ }).count(), 0);
    } finally {
      await limited.stop();
    }
  });

  test('GraphiQL is one click away, signed in, and leads back', async () => {
    await open('sandbox', { token: undefined, persona: fullAccess });
    await act(page.page.getByRole('link', { name: 'GraphiQL' }).click());
    await page.page.locator('.console-who').waitFor();
    await act(page.page.getByRole('link', { name: 'Payments' }).click());
    await field().waitFor();
  });
});

/**
 * The response of a gateway to a user who exceeds the rate: the one whose token another gateway has. Each query costs half
 * of a second's rate, so that a slow machine is refused too.
 */
async function refusalBy({ url }, { headers }) {
  const lists = Array.from({ length: 25 }, (_, i) => `a${i}: deposits(first: 1) { totalCount }`);
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify({ query: `{ ${lists.join(' ')} }` }) };
  for (;;) {
    const responses = await Promise.all(Array.from({ length: 20 }, () => fetch(url, init)));
    const refused = responses.find(({ status }) => status === 429);
    if (refused) return { status: 429, headers: Object.fromEntries(refused.headers), body: await refused.text() };
  }
}

/**
 * A payment of the newest days with everything that it can be found by, a withdrawal with an EndToEndId, and the ids of
 * payments: of one with a webhook that was not delivered, and of one to watch for each gateway.
 */
async function samplesOf(gateway) {
  const { failedNotification } = await gateway.samples();
  const { data } = await gateway.query(`query ($failed: ID!) {
    deposits(perPage: 100, filter: { status: [PAID] }) {
      nodes { id amount createdAt paymentDate endToEnd externalCode payer { name pix { key } } }
    }
    open: deposits(perPage: 20, filter: { status: [PENDING, PIX_QRCODE_GENERATED] }) { nodes { id } }
    withdrawals(perPage: 100) { nodes { id amount endToEnd } }
    notification(id: $failed) { referenceId }
  }`, { failed: failedNotification });
  const existing = async (nodes) => {
    const { data: { transactions } } = await gateway.query('query ($ids: [ID!]!) { transactions(ids: $ids) { id } }', { ids: nodes.map(({ id }) => id) });
    return nodes.filter((_, index) => transactions[index]);
  };
  const recent = Date.now() - 20 * 3_600_000;
  const payment = (await existing(data.deposits.nodes.slice(0, 50))).find((node) => node.endToEnd && node.externalCode?.length >= 8
    && node.payer?.pix.key && !node.payer.pix.key.includes('*') && Date.parse(node.createdAt) > recent && Date.parse(node.paymentDate) > recent);
  assert.ok(payment, 'the sandbox has no payment of the last day with all fields');
  const [first, second] = await existing(data.open.nodes);
  const unpaid = { sandbox: first.id, 'strange API': second.id };
  return { payment, withdrawal: data.withdrawals.nodes.find((node) => node.endToEnd), undelivered: data.notification.referenceId, unpaid };
}
