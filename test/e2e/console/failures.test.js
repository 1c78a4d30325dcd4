// What panels say about a read that failed: the id of the request, and a button that repeats it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkWithAxe } from './axe.js';
import { screens } from './screens.js';
import { useConsole } from './suite.js';

describe('a failed read', () => {
  const { gateway, openPage } = useConsole();
  let page;

  async function open(viewport) {
    page = await openPage({ viewport, reducedMotion: 'reduce' });
    await page.paste(gateway.token);
    await page.page.locator('.console-who').waitFor();
  }

  const again = (within) => within.getByRole('button', { name: 'Try again' });

  /** Runs a read that fails, and checks the request id that the page shows; returns the ids of its requests. */
  async function fails(within, act) {
    const ids = [];
    const collect = (response) => ids.push(response.headers()['x-request-id']);
    page.page.on('response', collect);
    await act();
    const shown = await within.locator('.console-request code').innerText();
    page.page.off('response', collect);
    assert.ok(ids.includes(shown), `${shown} is not one of ${ids}`);
  }

  for (const viewport of screens) {
    test(`${viewport.width} px: of an operation is repeated, the button keeps the focus meanwhile, and it opens the operation`, async () => {
      await open(viewport);
      const card = page.page.locator('.console-operations > li', { hasText: 'Why did my webhook fail?' });
      await gateway.fault({ route: 'deposit', status: 500 });
      await fails(card, async () => {
        await page.openOperation('Why did my webhook fail?');
        await card.getByText(/core API/).waitFor();
      });
      await checkWithAxe(page, 'a failed read');
      await page.fits();
      await again(card).focus();
      await fails(card, async () => { // it still fails
        const answered = page.page.waitForResponse((response) => response.url() === gateway.url);
        await page.page.keyboard.press('Enter');
        await answered;
        await card.getByText(/core API/).waitFor();
      });
      assert.ok(await again(card).evaluate((button) => button === document.activeElement));
      await gateway.heal();
      await page.page.keyboard.press('Enter');
      await page.openTab('FailedWebhook');
    });
  }

  test('of a download is repeated', async () => {
    await open();
    await page.page.evaluate(() => { globalThis.showSaveFilePicker = undefined; });
    await page.write('{ deposits { nodes { id } } }');
    const group = page.page.getByRole('group', { name: 'Download all pages' });
    await gateway.fault({ route: 'deposit', status: 500 });
    page.watch.expect(/status of 5\d\d/);
    await fails(group, async () => {
      await group.getByRole('button', { name: 'Download CSV' }).click();
      await group.getByText(/Nothing was saved\.$/).waitFor();
    });
    await checkWithAxe(page, 'a failed download');
    await gateway.heal();
    const saved = page.page.waitForEvent('download');
    await again(group).click();
    assert.equal((await saved).suggestedFilename(), 'deposits.csv');
    assert.equal(await again(group).count(), 0);
  });
});
