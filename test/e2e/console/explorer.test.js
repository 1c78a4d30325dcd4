// The explorer: a query is built by ticking fields, on each screen.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { screens } from './screens.js';
import { useConsole } from './suite.js';

describe('the explorer', () => {
  const { gateway, openPage } = useConsole();
  let page;

  const explorer = () => page.page.getByRole('region', { name: 'Explorer', exact: true });
  const field = (name) => explorer().getByRole('checkbox', { name, exact: true });
  /** The text of the query editor, in one line. */
  const query = async () => {
    const text = await page.page.evaluate(() => JSON.parse(localStorage.getItem('graphiql:tabState')));
    return text.tabs[text.activeTabIndex].query.replaceAll(/\s+/g, ' ').trim();
  };
  const becomes = async (want) => {
    const matches = (want) => {
      const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{"tabs":[]}');
      return (tabs[activeTabIndex]?.query ?? '').replaceAll(/\s+/g, ' ').trim() === want;
    };
    await page.page.waitForFunction(matches, want).catch(async () => assert.equal(await query(), want));
  };

  for (const viewport of screens) {
    test(`builds a query by ticking fields at ${viewport.width}`, async () => {
      page = await openPage({ viewport });
      await page.paste(gateway.token);
      await page.page.locator('.graphiql-tab-add').click();
      await page.page.locator('.graphiql-tab-active', { hasText: '<untitled>' }).waitFor();
      await page.show('Explorer');
      await field('deposits').click();
      await field('totalCount').click();
      await becomes('query { deposits { nodes { id } totalCount } }');
      await field('first:').click();
      await explorer().getByLabel('Value of first').fill('3');
      await field('filter:').click();
      await field('status:').click();
      await becomes('query { deposits(first: 3, filter: { status: [PENDING] }) { nodes { id } totalCount } }');
      await explorer().getByLabel('Value of status').fill('[PAID]');
      await field('amount').first().click();
      await field('id').click();
      await becomes('query { deposits(first: 3, filter: { status: [PAID] }) { nodes { amount } totalCount } }');
      await page.saveScreenshot(`explorer-${viewport.width}`);
      await page.showPane('Query');
      const { data, errors } = await page.run();
      assert.equal(errors, undefined);
      assert.equal(data.deposits.nodes.length, 3);
      assert.ok(data.deposits.nodes.every(({ amount }) => amount > 0));
    });
  }

  test('keeps comments, aliases and variables of an operation', async () => {
    page = await openPage();
    await page.write('# why\n{ newest: deposits(first: 1) { totalCount } transaction(id: "a") { id } }');
    await page.show('Explorer');
    await explorer().getByRole('checkbox', { name: 'newest: deposits' }).waitFor();
    await field('transaction').click();
    await page.editor.getByText('transaction').waitFor({ state: 'detached' });
    await page.editor.getByText('# why').waitFor();
    await page.editor.getByText('newest').waitFor();
    await page.editor.click();
    await page.page.keyboard.press('ControlOrMeta+z');
    await page.editor.getByText('transaction').waitFor();
  });

  test('waits while the query has a syntax error', async () => {
    page = await openPage();
    await page.write('{ : }');
    await page.show('Explorer');
    await explorer().getByText('The query has a syntax error.').waitFor();
    await page.write('{ deposits { totalCount } }');
    await field('totalCount').and(page.page.locator(':checked')).waitFor();
  });
});
