// The explorer: a query is built by ticking fields, on each screen.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkWithAxe } from './axe.js';
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
      await field('PAID').click();
      await becomes('query { deposits(first: 3, filter: { status: [PAID] }) { nodes { id } totalCount } }');
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

  for (const viewport of screens) {
    test(`has fields for amounts, times, choices and lists of ids at ${viewport.width}`, async () => {
      page = await openPage({ viewport, timezoneId: 'America/Sao_Paulo', reducedMotion: 'reduce' });
      await page.paste(gateway.token);
      await page.write('{ deposits { totalCount } }');
      await page.show('Explorer');
      const value = (name) => explorer().getByLabel(`Value of ${name}`);
      await field('filter:').click();
      for (const name of ['startDate:', 'status:', 'minAmount:', 'maxAmount:']) await field(name).click();
      await becomes('{ deposits(filter: {}) { totalCount } }'); // nothing is guessed
      await value('minAmount').fill('0,01');
      await value('maxAmount').fill('99.999,5');
      await explorer().getByText('9999950 cents').waitFor();
      assert.equal(await value('maxAmount').inputValue(), '99.999,5'); // as it was typed
      await value('startDate').fill('2020-01-31T10:00:05');
      await field('PAID').click();
      await field('REFUNDED').click();
      const range = 'minAmount: 1, maxAmount: 9999950, startDate: "2020-01-31T10:00:05-03:00"';
      await becomes(`{ deposits(filter: { ${range}, status: [PAID, REFUNDED] }) { totalCount } }`);
      await value('maxAmount').fill('much');
      await explorer().getByText('Enter an amount in reais').waitFor();
      assert.equal(await value('maxAmount').getAttribute('aria-invalid'), 'true');
      assert.match(await query(), /maxAmount: 9999950/);
      await checkWithAxe(page, 'fields of a filter');
      await page.fits();
      await page.saveScreenshot(`explorer-filter-${viewport.width}`);
      await value('maxAmount').fill('');
      await value('startDate').fill('');
      await field('REFUNDED').click();
      await becomes('{ deposits(filter: { minAmount: 1, status: [PAID] }) { totalCount } }');
      const { data, errors } = await page.run();
      assert.equal(errors, undefined);
      assert.ok(data.deposits.totalCount > 0);

      const [a, b] = (await gateway.transactions(2)).map(({ id }) => id);
      await page.showPane('Query');
      await page.write('{ transactions(ids: [""]) { id } }');
      await page.showPane('Explorer');
      await value('ids').fill(`${a}\n${b}`);
      await becomes(`{ transactions(ids: ["${a}", "${b}"]) { id } }`);
      assert.deepEqual((await page.run()).data.transactions, [{ id: a }, { id: b }]);
    });
  }

  test('a date is replaced part by part with the keyboard, and half a date is not written', async () => {
    page = await openPage({ timezoneId: 'America/Sao_Paulo' });
    await page.write('{ deposits(filter: {startDate: "2020-01-31T13:00:05Z"}) { totalCount } }');
    await page.show('Explorer');
    const date = explorer().getByLabel('Value of startDate');
    assert.equal(await date.inputValue(), '2020-01-31T10:00:05');
    await date.focus();
    await page.page.keyboard.press('Backspace'); // empties the month
    await explorer().getByText('Enter the whole date and time.').waitFor();
    assert.match(await query(), /2020-01-31T13:00:05Z/);
    await page.page.keyboard.type('02');
    await page.page.keyboard.type('15');
    await becomes('{ deposits(filter: {startDate: "2020-02-15T10:00:05-03:00"}) { totalCount } }');
    await page.editor.click();
    await page.page.keyboard.press('ControlOrMeta+z');
    await page.page.keyboard.press('ControlOrMeta+z');
    await becomes('{ deposits(filter: {startDate: "2020-01-31T13:00:05Z"}) { totalCount } }');
    assert.equal(await date.inputValue(), '2020-01-31T10:00:05');
  });

  test('shows variables in place of values, and leaves them as they are', async () => {
    page = await openPage();
    const text = 'query ($min: Cents, $from: DateTime, $status: [DepositStatus!], $ids: [ID!]!) '
      + '{ deposits(filter: {minAmount: $min, startDate: $from, status: $status}) { totalCount } transactions(ids: $ids) { id } }';
    await page.write(text);
    await page.show('Explorer');
    for (const [name, variable] of [['minAmount', '$min'], ['startDate', '$from'], ['status', '$status'], ['ids', '$ids']]) {
      const value = explorer().getByLabel(`Value of ${name}`);
      assert.equal(await value.inputValue(), variable);
      await value.focus();
    }
    await explorer().getByRole('checkbox', { name: 'totalCount' }).focus();
    assert.equal(await query(), text);
  });

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
