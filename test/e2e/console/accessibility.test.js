// Accessibility on each screen: what axe-core finds, headings, and the keyboard.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useGateway } from '../suite.js';
import { checkWithAxe } from './axe.js';
import { screens } from './screens.js';
import { useConsole } from './suite.js';

const panels = ['Operations', 'Explorer', 'Upstream calls', 'History'];

describe('accessibility', () => {
  const { gateway, openPage } = useConsole();
  const other = useGateway();
  let page;

  for (const viewport of screens) {
    for (const colorScheme of ['light', 'dark']) {
      test(`axe finds nothing of ours at ${viewport.width}, ${colorScheme}`, async () => {
        page = await openPage({ viewport, colorScheme, reducedMotion: 'reduce' });
        await page.editor.locator(`.monaco-editor.vs${colorScheme === 'dark' ? '-dark' : ''}`).waitFor();
        await checkWithAxe(page, 'not signed in');
        await page.page.locator('.console-paste').click();
        await checkWithAxe(page, 'the dialog for a token');
        await page.page.getByRole('button', { name: 'Cancel' }).click();
        await page.paste(gateway.token);
        await page.run();
        await page.page.locator('.graphiql-response').getByText('"data"').waitFor();
        await checkWithAxe(page, 'an answer');
        for (const panel of panels) {
          await page.show(panel);
          await checkWithAxe(page, panel);
        }
        await page.show('Documentation Explorer');
        await page.page.locator('.graphiql-doc-explorer').getByRole('link', { name: 'Query', exact: true }).click();
        await page.page.locator('.graphiql-doc-explorer').getByRole('link', { name: 'deposits', exact: true }).click();
        await checkWithAxe(page, 'the documentation of a field');
        for (const dialog of ['short keys', 'settings']) {
          await page.page.getByRole('button', { name: `Open ${dialog} dialog` }).click();
          await page.page.getByRole('dialog').waitFor();
          await checkWithAxe(page, `the dialog with ${dialog}`);
          await page.page.keyboard.press('Escape');
          await page.page.getByRole('dialog').waitFor({ state: 'detached' });
        }
        page.watch.expect(/status of 401/);
        await page.paste(other.token);
        await page.execute();
        await page.page.getByText('The token was refused: ').waitFor();
        await checkWithAxe(page, 'a refused token');
      });
    }

    test(`every control is reached with Tab, and no editor keeps the focus, at ${viewport.width}`, async () => {
      page = await openPage({ viewport });
      await page.paste(gateway.token);
      await page.show('Explorer');
      await page.page.getByRole('checkbox', { name: 'withdrawals', exact: true }).waitFor();
      const missed = await controlsMissedByTab(page.page);
      assert.deepEqual(missed, []);
      await page.showPane('Query');
      await page.editor.locator('.graphiql-editor').focus();
      await page.page.keyboard.press('Enter'); // enters the editor
      await page.editor.locator('textarea:focus').waitFor({ state: 'attached' });
      await page.page.keyboard.press('Tab');
      await page.editor.locator('textarea:focus').waitFor({ state: 'detached' });
    });
  }

  test('the page has one h1, a header and a main part', async () => {
    page = await openPage();
    assert.deepEqual(await page.page.locator('h1').allInnerTexts(), ['Pixgraph']);
    assert.equal(await page.page.getByRole('banner').count(), 1);
    assert.equal(await page.page.getByRole('main').count(), 1);
  });

  test('a query is built and run with the keyboard', async () => {
    page = await openPage();
    const { keyboard } = page.page;
    await focusWithTab(page.page, 'Paste a token');
    await keyboard.press('Enter');
    await keyboard.insertText(gateway.token);
    await focusWithTab(page.page, 'Use this token');
    await keyboard.press('Enter');
    await page.page.locator('.console-who').waitFor();
    await focusWithTab(page.page, 'New tab');
    await keyboard.press('Enter');
    await page.page.locator('.graphiql-tab-active', { hasText: '<untitled>' }).waitFor();
    await page.page.locator('body').focus();
    await focusWithTab(page.page, 'Show Explorer');
    await keyboard.press('Enter');
    await focusWithTab(page.page, 'withdrawals');
    await keyboard.press('Space');
    await page.editor.getByText('withdrawals').waitFor();
    await focusWithTab(page.page, 'Execute query (Ctrl-Enter)');
    const { data } = await page.answerTo(() => keyboard.press('Enter'));
    assert.ok(data.withdrawals.nodes[0].id);
  });
});

/** Presses Tab until the control with the name has the focus. The focus returns to the first control after the last. */
async function focusWithTab(page, name) {
  for (let presses = 0; presses < 400; presses++) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate(nameOfFocus)) === name) return;
  }
  assert.fail(`Tab does not reach "${name}"`);
}

function nameOfFocus() {
  const { activeElement: at } = document;
  return at.getAttribute('aria-label') ?? (at.labels?.[0] ?? at).innerText?.trim();
}

/** The visible controls that never have the focus while Tab is pressed. */
async function controlsMissedByTab(page) {
  await page.evaluate(() => {
    const controls = 'button:enabled, a[href], input:enabled, select:enabled, textarea:enabled:not(.inputarea), [tabindex="0"]';
    globalThis.missed = new Set([...document.querySelectorAll(controls)].filter((element) => {
      return element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest('.monaco-editor');
    }));
    globalThis.presses = missed.size;
    document.addEventListener('focusin', (event) => missed.delete(event.target));
  });
  const presses = 2 * (await page.evaluate(() => globalThis.presses)) + 20;
  for (let press = 0; press < presses; press++) {
    await page.keyboard.press('Tab');
    if (press % 10 === 0 && await page.evaluate(() => globalThis.missed.size === 0)) break;
  }
  return page.evaluate(() => [...globalThis.missed].map((element) => element.outerHTML.slice(0, 150)));
}
