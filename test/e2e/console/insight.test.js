// What the page draws below an answer: verdicts of deliveries, timelines, Pix codes and sums.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkWithAxe } from './axe.js';
import { screens } from './screens.js';
import { useConsole } from './suite.js';

const narrow = { width: 320, height: 640 };

/** An amount as the page shows it. */
const reais = (cents) => (Number(cents) / 100).toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' }).replaceAll('\u00a0', ' ');

describe('below the answer', () => {
  const { gateway, openPage } = useConsole();
  let page;

  async function open(options, token = gateway.token) {
    page = await openPage({ timezoneId: 'America/Sao_Paulo', ...options });
    await page.paste(token);
  }

  const previews = () => page.page.getByRole('region', { name: 'Previews of the answer' });
  const drawn = (path) => previews().getByRole('figure').filter({ has: page.page.locator('figcaption').getByText(path, { exact: true }) });
  const textOf = async (locator) => (await locator.innerText()).replaceAll('\u00a0', ' ');

  /** Opens and runs a ready-made operation. */
  async function run(title, name) {
    await page.openOperation(title);
    await page.openTab(name);
    const { data, errors } = await page.run();
    assert.equal(errors, undefined, JSON.stringify(errors));
    await page.showPane('Answer');
    await previews().waitFor();
    return data;
  }

  async function fits() {
    const wide = await page.page.evaluate(() => ['html', '.previews'].filter((part) => {
      const { scrollWidth, clientWidth } = document.querySelector(part);
      return scrollWidth > clientWidth;
    }));
    assert.deepEqual(wide, [], 'wider than the screen');
  }

  /** Checks that the previews are below another part of the pane, of which something is visible. */
  async function isBelow(part) {
    const [above, below] = await Promise.all([page.page.locator(part), previews()].map((each) => each.boundingBox()));
    assert.ok(above.height >= 100 && below.y >= above.y + above.height, JSON.stringify({ above, below }));
  }

  for (const [index, viewport] of [...screens, narrow].entries()) {
    const colorScheme = ['light', 'dark'][index % 2];

    test(`${viewport.width} px, ${colorScheme}: a verdict, a timeline and sums are those of the gateway, and axe finds nothing`, async () => {
      await open({ viewport, colorScheme, reducedMotion: 'reduce' });
      await page.editor.locator(`.monaco-editor.vs${colorScheme === 'dark' ? '-dark' : ''}`).waitFor();
      const { notification } = await run('Why did my webhook fail?', 'FailedWebhook');
      const delivery = await textOf(drawn('notification.delivery'));
      assert.ok(delivery.includes(`${notification.delivery.verdict} ${notification.delivery.explanation}`), delivery);
      const { timeline } = notification.transaction;
      const moments = await drawn('notification.transaction.timeline').getByRole('listitem').all();
      assert.equal(moments.length, timeline.length);
      assert.ok(timeline.length > 1);
      for (const [position, { at, source, status }] of timeline.entries()) {
        assert.equal(await moments[position].locator('time').getAttribute('datetime'), at);
        const text = await textOf(moments[position]);
        assert.ok(text.includes('GMT-3') && text.includes(status ?? source), text);
        const next = timeline[position + 1];
        const gap = next && (next.sincePreviousInMilliseconds === 0 ? 'the next is at the same time' : ' until the next');
        assert.equal(text.includes('the next'), next !== undefined, text);
        if (gap) assert.ok(text.includes(gap), text);
      }
      await checkWithAxe(page, 'a delivery and a timeline');
      await fits();
      await page.saveScreenshot(`insight-${viewport.width}-${colorScheme}-FailedWebhook`);

      const { depositSummary } = await run('Reconciliation', 'Reconciliation');
      await drawn('depositSummary').getByText('COMPLETE', { exact: true }).waitFor();
      const rows = await drawn('depositSummary').locator('tbody').getByRole('row').allInnerTexts();
      assert.deepEqual(
        rows.map((row) => row.replaceAll('\u00a0', ' ').split(/\s*\t\s*|\n/).filter(Boolean)),
        depositSummary.groups.map(({ day, count, amountPaid }) => [day, String(count), reais(amountPaid)]),
      );
      const widths = await drawn('depositSummary').locator('tbody td:last-child rect').evaluateAll((bars) => bars.map((bar) => bar.getAttribute('width')));
      const largest = Math.max(...depositSummary.groups.map(({ amountPaid }) => Number(amountPaid)));
      assert.equal(widths[depositSummary.groups.findIndex(({ amountPaid }) => Number(amountPaid) === largest)], '100%');
      await checkWithAxe(page, 'sums');
      await fits();
      await isBelow('.graphiql-response .result-window');
      await page.page.getByRole('button', { name: 'Table', exact: true }).click();
      await isBelow('.answer-tables');
      await fits();
      await page.page.getByRole('button', { name: 'JSON', exact: true }).click();
      await page.saveScreenshot(`insight-${viewport.width}-${colorScheme}-Reconciliation`);
    });

    test(`${viewport.width} px: what a Pix code says is next to its QR code`, async () => {
      await open({ viewport });
      await page.openOperation('Waiting for a payment');
      await page.openTab('WaitingForPayment');
      await page.subscribe();
      await page.showPane('Answer');
      const facts = drawn('transaction.pixResponse.brCode');
      await page.page.locator('.result-window').getByText('"id"').waitFor();
      const id = /"id": *"([0-9a-f-]{36})"/.exec((await page.shownAnswer()).replaceAll(/\s/g, ''))[1];
      const { data } = await gateway.query(`{ transaction(id: "${id}") { pixResponse { brCode { amount merchantName merchantCity url } } } }`);
      const { brCode } = data.transaction.pixResponse;
      const said = await textOf(facts);
      for (const value of [reais(brCode.amount), brCode.merchantName, brCode.merchantCity, brCode.url]) assert.ok(said.includes(value), said);
      assert.match(said, /Txid\s+none that can be read\s+Well formed\s+yes$/);
      await previews().getByRole('img').waitFor();
      const [image, words] = await Promise.all([previews().getByRole('img'), facts].map((part) => part.boundingBox()));
      const nextTo = words.x >= image.x + image.width && words.y < image.y + image.height;
      assert.equal(nextTo, viewport.width > 640, JSON.stringify({ image, words })); // on a phone it is below
      await checkWithAxe(page, 'a Pix code');
      await fits();
      await page.saveScreenshot(`insight-${viewport.width}-pix`);
    });
  }

  test('without brCode only the picture and the text are shown', async () => {
    const token = await gateway.mint({}); // so that no stream of another test makes calls with it
    await open({}, token);
    const { openTransaction } = await gateway.samples();
    await page.write(`{ transaction(id: "${openTransaction}") { p: pixResponse { t: uri i: qrCodeBase64 } } }`);
    await gateway.forgetCalls();
    await page.run();
    await previews().getByRole('img').waitFor();
    await previews().getByRole('button', { name: 'Copy Pix code' }).waitFor();
    assert.equal(await previews().getByRole('figure').count(), 2);
    assert.deepEqual(await gateway.calls(token), [`core /core/v1/transaction/${openTransaction}`]);
  });

  test('a list that is longer than the pages that are read is not complete, and aliases are followed', async () => {
    await open();
    await page.write('{ s: depositSummary(maxPages: 1, groupBy: [STATUS, ORIGIN]) { n: count ok: complete why: reason read: pagesRead'
      + ' g: groups { s: statusRaw o: depositOriginRaw sum: amount } } }');
    const { data } = await page.run();
    await drawn('s').getByText('NOT COMPLETE').waitFor();
    const text = await textOf(drawn('s'));
    assert.match(text, /NOT COMPLETE PAGE_LIMIT The list has more pages than maxPages\. Request the summary as a file.* Pages read: 1\./);
    const { s, o } = data.s.g[0];
    await drawn('s').getByRole('rowheader', { name: s, exact: true }).first().waitFor();
    await drawn('s').getByRole('rowheader', { name: o ?? 'none', exact: true }).first().waitFor();
    assert.deepEqual(await drawn('s').getByRole('columnheader').allInnerTexts(), ['Status', 'Deposit origin', 'Amount']);
  });

  test('errors, nulls, unknown values, ties, missing times and a thousand groups are drawn as they are', async () => {
    await open({ viewport: { width: 1440, height: 1200 } });
    const day = (n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);
    const answer = {
      data: {
        a: { delivery: { verdict: 'NEWER', explanation: 'Something new.', attempts: null } },
        b: null,
        transaction: {
          timeline: [
            { at: '2026-01-31T12:00:00Z', source: 'CREATED_AT', status: null, sincePreviousInMilliseconds: null },
            { at: '2026-01-31T12:00:00.000Z', source: 'NEWER', status: null, sincePreviousInMilliseconds: 0 },
            { at: 'yesterday', source: 'STATUS_HISTORY', status: 'PAID', sincePreviousInMilliseconds: null },
            { at: null, source: 'REFUND_DATE', status: null, sincePreviousInMilliseconds: null },
          ],
          pixResponse: { brCode: { amount: null, problems: [{ code: 'WRONG_CRC', field: '63' }, { code: 'NEWER', field: null }] } },
        },
        depositSummary: {
          complete: false, reason: 'NEWER', unreadable: 2,
          groups: Array.from({ length: 1000 }, (_, n) => ({ day: day(n), amount: n === 0 ? '123456789012345678901234567890' : null })),
        },
      },
      errors: [{ message: 'not found', path: ['b'], extensions: { code: 'NOT_FOUND' } }],
    };
    await page.page.route('**/graphql', (route) => route.fulfill({ contentType: 'application/json', body: JSON.stringify(answer) }));
    await page.write('{ a: notification(id: "1") { delivery { verdict explanation attempts } } b: notification(id: "2") { delivery { verdict } }'
      + ' transaction(id: "3") { timeline { at source status sincePreviousInMilliseconds }'
      + ' pixResponse { brCode { amount problems { code field } } } }'
      + ' depositSummary(groupBy: [DAY]) { complete reason unreadable groups { day amount } } }');
    await page.run();
    assert.match(await textOf(drawn('a.delivery')), /^a\.delivery\s+NEWER Something new\.$/);
    assert.equal(await drawn('b.delivery').count(), 0);
    const moments = await drawn('transaction.timeline').getByRole('listitem').all();
    const texts = await Promise.all(moments.map(textOf));
    const expected = [/GMT-3 CREATED_AT createdAt: the creation\.\s+the next is at the same time$/, /GMT-3 NEWER NEWER\s+unknown time until/,
      /^yesterday PAID statusHistory: a status was reached\.\s+unknown time until/, /^No time REFUND_DATE refundDate: the refund\.\s*$/];
    expected.forEach((pattern, position) => assert.match(texts[position], pattern));
    assert.match(await textOf(drawn('transaction.pixResponse.brCode')),
      /2 problems\s+WRONG_CRC at 63: The CRC of the BR Code is wrong: the text was changed\.\s+NEWER\s+Amount\s+none that can be read$/);
    const sums = await textOf(drawn('depositSummary'));
    assert.match(sums, /NOT COMPLETE NEWER\s+Not summed, because they break the API's contract: 2\./);
    assert.ok(sums.includes('R$ 1.234.567.890.123.456.789.012.345.678,90'), sums.slice(0, 500));
    assert.match(sums, /634 more groups are not drawn\. The JSON has all of them\.$/);
    await checkWithAxe(page, 'odd values');
    await previews().focus(); // the keys scroll it
    assert.ok(await previews().evaluate((region) => region.scrollHeight > region.clientHeight));
  });
});
