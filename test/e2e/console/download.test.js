// Downloads by the page: the buttons, the files, what the page says about them, and how they are stopped.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { checkWithAxe } from './axe.js';
import { desktop, screens } from './screens.js';
import { useConsole } from './suite.js';

const query = '{ deposits { nodes { id amount } } }';

describe('a download', () => {
  const { gateway, openPage } = useConsole();
  let page;

  /** Opens the page with the query. Headless Chromium has no dialog for files: `picked` replaces it, otherwise it is absent. */
  async function open({ viewport = desktop, picked = false } = {}) {
    page = await openPage({ viewport });
    await page.page.evaluate((picks) => {
      globalThis.showSaveFilePicker = picks
        ? async ({ suggestedName }) => (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })
        : undefined;
    }, picked);
    await page.paste(gateway.token);
    await page.write(query);
    await page.showPane('Answer');
    await button('CSV').waitFor();
  }

  const group = () => page.page.getByRole('group', { name: 'Download all pages' });
  const button = (format) => group().getByRole('button', { name: `Download ${format}` });
  const says = (text) => group().getByRole('status').getByText(text).waitFor();

  /** What the file of the replaced dialog has; null without a file. */
  const pickedText = (name) => page.page.evaluate(
    async (file) => {
      const handle = await (await navigator.storage.getDirectory()).getFileHandle(file).catch(() => null);
      return handle && new TextDecoder('utf-8', { ignoreBOM: true }).decode(await (await handle.getFile()).arrayBuffer());
    },
    name,
  );

  for (const viewport of screens) {
    test(`${viewport.width} px: NDJSON has all pages, and the page says that it is complete`, async () => {
      await open({ viewport });
      const saved = page.page.waitForEvent('download');
      await button('NDJSON').click();
      const file = await saved;
      assert.equal(file.suggestedFilename(), 'deposits.ndjson');
      const lines = readFileSync(await file.path(), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
      const { data } = await gateway.query('{ deposits { totalCount } }');
      assert.equal(new Set(lines.slice(0, -1).map(({ id }) => id)).size, data.deposits.totalCount);
      await says(new RegExp(`^deposits\\.ndjson: saved .* The file is complete: ${data.deposits.totalCount} records\\.$`));
      await checkWithAxe(page, 'a download');
      await page.fits();
    });
  }

  test('CSV is written to the chosen file, for Excel', async () => {
    await open({ picked: true });
    await button('CSV').click();
    await says(/^deposits\.csv: saved .* The file is complete: \d+ records\.$/);
    const rows = (await pickedText('deposits.csv')).split('\r\n');
    const { data } = await gateway.query('{ deposits(perPage: 1) { totalCount nodes { id amount } } }');
    const [{ id, amount }] = data.deposits.nodes;
    assert.deepEqual(rows.slice(0, 2), ['\ufeffid,amount', `${id},${amount}`]);
    assert.equal(rows.length, data.deposits.totalCount + 2); // the names, and the end of the last line
  });

  test('a list is downloaded without the sums next to it, and sums alone by group', async () => {
    await open({ picked: true });
    const { data } = await gateway.query('{ deposits(perPage: 1) { totalCount } depositSummary(groupBy: [STATUS]) { groups { statusRaw } } }');
    await page.write('{ depositSummary { count complete } deposits { nodes { id } } }');
    await button('CSV').click();
    await says(/^deposits\.csv: saved .* The file is complete: \d+ records\.$/);
    const rows = (await pickedText('deposits.csv')).split('\r\n');
    assert.deepEqual([rows[0], rows.length], ['\ufeffid', data.deposits.totalCount + 2]);
    await page.write('{ sums: depositSummary(groupBy: [STATUS]) { groups { statusRaw } } }');
    await button('CSV').click();
    await says(/^sums\.csv: saved .* The file is complete: \d+ records\.$/);
    const statuses = data.depositSummary.groups.map(({ statusRaw }) => statusRaw);
    assert.deepEqual((await pickedText('sums.csv')).split('\r\n'), ['\ufeffstatusRaw', ...statuses, '']);
  });

  test('a page that cannot be read is reported with the file', async () => {
    await open({ picked: true });
    await gateway.fault({ route: 'deposit', status: 403, after: 1 });
    await button('NDJSON').click();
    await says('The file is NOT complete (PAGE_FAILED): 100 records.');
    assert.match(await pickedText('deposits.ndjson'), /"@download":\{"complete":false/);
  });

  test('a CSV file that lacks pages is not saved', async () => {
    await open({ picked: true });
    await gateway.fault({ route: 'deposit', status: 403, after: 1 });
    await button('CSV').click();
    await says('deposits.csv: Records are missing (PAGE_FAILED). NDJSON has those that were read, and says why. Nothing was saved.');
    assert.equal(await pickedText('deposits.csv'), null);
  });

  test('what the gateway refuses is said, and nothing is saved', async () => {
    await open({ picked: true });
    await page.write('{ deposits { totalCount } }');
    page.watch.expect(/status of 406/);
    await button('CSV').click();
    await says(/the list must select its records exactly once.* Nothing was saved\.$/);
    assert.equal(await pickedText('deposits.csv'), null);
  });

  test('what is said stays when the text of the editor reaches the page late', async () => {
    await open({ picked: true });
    await page.page.evaluate(() => { // holds back the pause after which GraphiQL reads the editor
      const begin = globalThis.setTimeout;
      const held = [];
      globalThis.setTimeout = (act, delay, ...values) => (delay === 100 ? -held.push(() => act(...values)) : begin(act, delay, ...values));
      globalThis.endPauses = () => {
        globalThis.setTimeout = begin;
        held.forEach((act) => act());
      };
    });
    await page.type('{ withdrawals { totalCount } }');
    page.watch.expect(/status of 406/);
    await button('CSV').click();
    await says(/Nothing was saved\.$/);
    await page.page.evaluate(() => globalThis.endPauses());
    await page.read('{ withdrawals { totalCount } }');
    await says(/Nothing was saved\.$/);
    await page.write('{ withdrawals { nodes { id } } }'); // it was about another operation
    assert.equal(await group().getByRole('status').innerText(), '');
  });

  test('Stop ends it and its request, and nothing is saved', async () => {
    await open({ picked: true });
    await gateway.fault({ route: 'deposit', kind: 'hang', after: 1 });
    await button('NDJSON').click();
    await says(/^deposits\.ndjson: .* read$/); // the first page
    const ended = page.page.waitForEvent('requestfailed');
    await group().getByRole('button', { name: 'Stop the download' }).click();
    assert.equal((await ended).failure().errorText, 'net::ERR_ABORTED');
    await says('deposits.ndjson: stopped, nothing was saved.');
    assert.equal(await pickedText('deposits.ndjson'), null);
  });

  test('is not offered for an operation with other fields, and not sent without a token', async () => {
    page = await openPage();
    await page.page.getByRole('region', { name: 'Answer', exact: true }).waitFor();
    assert.equal(await group().count(), 0); // the dashboard
    await page.write(query);
    await page.page.evaluate(() => { globalThis.showSaveFilePicker = undefined; });
    await button('CSV').click();
    await says('deposits.csv: Not sent: there is no valid token. Nothing was saved.');
  });
});
