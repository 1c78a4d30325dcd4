// The answer of an operation: as JSON and as tables, with status and duration, copied as text, cell and curl command.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, test } from 'node:test';
import { desktop, screens } from './screens.js';
import { stepUntil, useConsole } from './suite.js';

const run = promisify(execFile);

describe('the answer', () => {
  const { gateway, openPage } = useConsole();
  let page;

  async function open(viewport) {
    page = await openPage({
      viewport, timezoneId: 'America/Sao_Paulo', permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.paste(gateway.token);
    await page.page.locator('.console-who').waitFor();
  }

  const bar = () => page.page.getByRole('region', { name: 'Answer', exact: true });

  for (const viewport of screens) {
    test(`${viewport.width} px: tables show amounts in reais, local times, and copy a cell with the keyboard`, async () => {
      await open(viewport);
      const { data } = await page.run();
      await bar().getByText(/^Status 200 · \d+ ms · [\d.]+ KB$/).waitFor();
      await bar().getByRole('button', { name: 'Table' }).click();
      const rows = page.page.getByRole('grid', { name: 'deposits.nodes' }).getByRole('row');
      const [deposit] = data.deposits.nodes;
      const shown = (await rows.nth(1).innerText()).replaceAll('\u00a0', ' ');
      const reais = (deposit.amount / 100).toLocaleString('pt-BR', { minimumFractionDigits: 2 });
      assert.ok(shown.includes(`${deposit.amount}\nR$ ${reais}`), shown);
      assert.match(shown, /GMT-3/);
      await rows.nth(1).getByRole('gridcell').first().focus();
      for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowUp', 'Enter']) await page.page.keyboard.press(key);
      await page.page.getByText('Copied the cell.').waitFor();
      assert.equal(await page.clipboard(), String(deposit.amount));
      await rows.nth(2).getByRole('gridcell').first().click();
      await page.page.getByRole('button', { name: 'Copy cell' }).click();
      await page.page.waitForFunction((id) => navigator.clipboard.readText().then((text) => text === id), data.deposits.nodes[1].id);
      await bar().getByRole('button', { name: 'JSON' }).click();
      await page.page.locator('.graphiql-response').getByText('"data"').first().waitFor();
      await page.fits();
    });
  }

  test('a payment is shown while the dispatcher hangs, and its deferred notifications when they come', async () => {
    const [{ id }] = await gateway.transactions(1);
    await open(desktop);
    await gateway.fault({ service: 'dispatcher', kind: 'hang' });
    await page.write(`{ transaction(id: "${id}") { id ... @defer { notifications { nodes { status } } } } }`);
    await page.execute();
    const shown = page.page.locator('.graphiql-response');
    await shown.getByText(`"${id}"`).first().waitFor();
    assert.doesNotMatch(await page.shownAnswer(), /notifications|hasNext|pending/);
    await gateway.heal();
    await shown.getByText('"notifications"').first().waitFor();
    await bar().getByText(/^Status 200 · \d+ ms · [\d.]+ (KB|B)$/).waitFor();
    assert.doesNotMatch(await page.shownAnswer(), /errors|hasNext|pending/);
  });

  test('base64 is folded, and shown and copied on request', async () => {
    await open({ width: 1440, height: 2400 }); // the editor renders only the lines that are visible
    await page.openOperation('Waiting for a payment');
    await page.openTab('WaitingForPayment');
    await page.subscribe();
    await stepUntil(gateway, () => page.streamState.getByText('Ended: a status')); // the last event stays
    const qrCodeBase64 = await page.page.locator('.preview-image img').getAttribute('src'); // whole, although the JSON is folded
    assert.match(await page.shownAnswer(), new RegExp(`… \\(${qrCodeBase64.length} characters\\)`));
    await bar().getByRole('button', { name: 'Copy answer' }).click();
    await page.page.getByText('Copied the answer.').waitFor();
    assert.equal(JSON.parse(await page.clipboard()).data.transaction.pixResponse.qrCodeBase64, qrCodeBase64);
    await bar().getByRole('button', { name: 'Show base64' }).click();
    await page.page.locator('.result-window').getByText(`${qrCodeBase64.length} characters`).waitFor({ state: 'detached' });
    // Another tab and back: still the same answer, with its figures.
    await page.openTab('Dashboard');
    await page.openTab('WaitingForPayment');
    await bar().getByText(/^Event \d+ · REACHED · [\d.]+ KB$/).waitFor();
    await bar().getByRole('button', { name: 'Table' }).click();
    const fields = page.page.getByRole('grid', { name: 'transaction', exact: true });
    await fields.getByText(`${qrCodeBase64.length} characters`).click();
    await fields.getByText(qrCodeBase64).waitFor();
    await page.page.getByRole('grid', { name: 'transaction.statusHistory' }).waitFor();
  });

  test('the curl command runs, and has no token', async () => {
    await open(desktop);
    const { data } = await page.run();
    const command = await page.copyCurl();
    assert.doesNotMatch(command, /eyJ/);
    assert.match(command, /Bearer \$TOKEN/);
    const { stdout } = await run('sh', ['-c', command], { env: { PATH: process.env.PATH, TOKEN: gateway.token } });
    assert.deepEqual(JSON.parse(stdout).data.deposits.totalCount, data.deposits.totalCount);
    await page.run();
    await page.page.getByText(/Copied the command/).waitFor({ state: 'detached' }); // it was about the previous answer
  });

  test('an amount beyond the numbers of JavaScript keeps its digits, and an error is a row', async () => {
    await open(desktop);
    const body = '{"data":{"deposits":{"nodes":[{"amount":9223372036854775807},null]}},'
      + '"errors":[{"message":"invalid","path":["deposits","nodes",1],"extensions":{"code":"UPSTREAM_INVALID_RESPONSE"}}]}';
    await page.page.route('**/graphql', (route) => route.fulfill({ contentType: 'application/json', body }));
    await page.write('{ deposits { nodes { amount } } }');
    await page.run();
    await page.page.locator('.result-window').getByText('9223372036854775807').waitFor();
    await bar().getByRole('button', { name: 'Table' }).click();
    const cells = await page.page.getByRole('grid', { name: 'deposits.nodes' }).getByRole('gridcell').allInnerTexts();
    assert.deepEqual(cells.map((text) => text.replaceAll('\u00a0', ' ')), ['9223372036854775807\nR$ 92.233.720.368.547.758,07', 'null']);
    assert.match(await page.page.getByRole('grid', { name: 'errors' }).innerText(), /deposits\.nodes\.1\s+invalid\s+UPSTREAM_INVALID_RESPONSE/);
  });
});
