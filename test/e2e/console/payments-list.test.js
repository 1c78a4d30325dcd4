// The lists of Payments: periods, statuses, pages and rows.

import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { checkWithAxe } from './axe.js';
import { daysAgo } from './days.js';
import { usePayments } from './suite.js';

describe('a list in Payments', () => {
  const { gateway, openPage } = usePayments('--upstream-breaker-percent=0');
  let page;
  afterEach(() => gateway.heal());

  const complete = () => page.panel('Sums').getByText(/^Complete/).waitFor();

  test('pages of 50, with the focus at the new page', async () => {
    page = await openPage({ view: `#/deposits/${daysAgo(20)}..${daysAgo(1)}` });
    const list = page.panel('List');
    await list.getByText(/^Page 1 of 3, 1\d\d deposits$/).first().waitFor();
    assert.equal(await list.locator('tbody tr').count(), 50);
    const byDay = page.panel('Sums').getByRole('region', { name: 'By day' });
    assert.equal(await byDay.getByRole('table').count(), 0, 'many days are folded');
    await byDay.locator('summary').click();
    const days = await byDay.getByRole('table').locator('tbody tr').count();
    assert.equal(await byDay.locator('summary').textContent(), `${days} days`);
    const first = await list.locator('tbody tr code').first().getAttribute('title');
    await list.getByRole('button', { name: 'Next' }).last().click();
    await list.locator('[role=status]:focus', { hasText: /^Page 2 of 3/ }).waitFor();
    assert.notEqual(await list.locator('tbody tr code').first().getAttribute('title'), first);
    await page.page.goBack();
    await list.getByText(/^Page 1 of 3/).first().waitFor();
    assert.equal(await list.locator('tbody tr code').first().getAttribute('title'), first);
  });

  test('the focus stays at a control that changes the list', async () => {
    page = await openPage({ view: `#/withdrawals/${daysAgo(3)}` });
    await complete();
    await page.page.getByLabel('From').fill(daysAgo(9));
    await page.panel('Sums').getByRole('region', { name: 'By day' }).waitFor();
    assert.equal(new URL(page.page.url()).hash, `#/withdrawals/${daysAgo(9)}..${daysAgo(3)}`);
    await page.page.locator('input:focus').waitFor();
    await page.page.getByLabel('From').fill(daysAgo(1)); // beyond the last day
    await page.page.waitForFunction((hash) => location.hash === hash, `#/withdrawals/${daysAgo(1)}`);
    assert.equal(await page.page.getByLabel('To', { exact: true }).inputValue(), daysAgo(1));
  });

  test('a date that is not accepted is said, and does not stay in its field', async () => {
    page = await openPage({ view: `#/withdrawals/${daysAgo(3)}` });
    await complete();
    const to = page.page.getByLabel('To', { exact: true });
    const refused = page.panel('Period and status').getByRole('alert');
    await to.fill('2099-01-01');
    await refused.getByText(/^The date is in the future\. The list is still that of \d/).waitFor();
    await checkWithAxe(page, 'a date that is not accepted');
    await to.press('Escape');
    assert.equal(await to.inputValue(), daysAgo(3));
    assert.equal(await refused.count(), 0);
    await to.fill('');
    await to.blur();
    await refused.getByText('The date is not complete, or there is no such day.').waitFor();
    assert.equal(await to.inputValue(), daysAgo(3));
    assert.equal(new URL(page.page.url()).hash, `#/withdrawals/${daysAgo(3)}`);
    await page.page.getByRole('button', { name: 'Yesterday' }).click();
    await refused.waitFor({ state: 'detached' });
  });

  test('an empty page of a list with records is not said to be an empty list', async () => {
    const body = JSON.stringify({ total: 240, totalPages: 5, currentPage: 1, perPage: 50, data: [] });
    await gateway.fault({ route: 'deposit', body });
    page = await openPage({ view: `#/deposits/${daysAgo(40)}..${daysAgo(0)}` });
    const list = page.panel('List');
    await list.getByText('The API counts 240 deposits, which does not agree with its pages.').first().waitFor();
    assert.equal(await list.getByRole('button', { name: 'Next' }).first().getAttribute('aria-disabled'), 'false');
    assert.equal(await list.getByText(/^No deposits/).count(), 0);
    await checkWithAxe(page, 'an empty page of a list');
  });

  test('what fails is said in its part, and read again on request', async () => {
    await gateway.fault({ route: 'deposit', status: 503 });
    page = await openPage({ view: `#/deposits/${daysAgo(1)}` });
    page.watch.expect(/status of 502/);
    await page.panel('Sums').getByRole('alert').waitFor();
    await page.panel('List').getByRole('alert').waitFor();
    await gateway.heal();
    await page.panel('List').getByRole('button', { name: 'Try again' }).click();
    await page.panel('List').getByText(/^Page 1 of 1/).first().waitFor();
    await page.panel('Sums').getByRole('button', { name: 'Try again' }).click();
    await complete();
  });

  test('rows of another status are not shown with the error of the present one', async () => {
    page = await openPage({ view: `#/deposits/${daysAgo(20)}..${daysAgo(1)}` });
    await page.panel('List').getByText(/^Page 1 of/).first().waitFor();
    await gateway.fault({ route: 'deposit', status: 503 });
    page.watch.expect(/status of 502/);
    await page.panel('Period and status').getByRole('combobox').last().selectOption('REFUNDED');
    await page.panel('List').getByRole('alert').waitFor();
    assert.equal(await page.panel('List').locator('tbody tr').count(), 0);
  });

  test('is printed from the first page on', async () => {
    page = await openPage({ view: `#/deposits/${daysAgo(20)}..${daysAgo(1)}` });
    await complete();
    await page.panel('List').getByText(/^Page 1 of/).first().waitFor();
    await page.page.emulateMedia({ media: 'print' });
    const rows = await page.page.evaluate(() => document.querySelectorAll('.panel tr').length);
    assert.ok(rows > 60); // more than a page has
    const avoided = await page.page.evaluate(() => [...document.querySelectorAll('.panel')].map((panel) => getComputedStyle(panel).breakInside));
    assert.deepEqual([...new Set(avoided)], ['auto']);
  });

  test('after midnight today is another day', async () => {
    const [before, after] = [daysAgo(1), daysAgo(0)];
    page = await openPage();
    await page.page.clock.setFixedTime(`${before}T23:59:59-03:00`);
    await page.go(`#/deposits/${before}`);
    await page.page.getByRole('button', { name: 'Today', pressed: true }).waitFor();
    await page.page.clock.setFixedTime(`${after}T00:00:00-03:00`);
    await page.page.getByRole('button', { name: 'Yesterday', pressed: true }).waitFor();
    await page.page.getByRole('button', { name: 'Today' }).click();
    await page.page.getByRole('button', { name: 'Today', pressed: true }).waitFor();
    assert.equal(new URL(page.page.url()).hash, `#/deposits/${after}`);
    assert.equal(await page.page.getByRole('link', { name: 'Deposits', exact: true }).getAttribute('href'), `#/deposits/${after}`);
  });

  test('a click on a row whose way is not known yet does not lead away from another page', async () => {
    let release;
    const held = new Promise((resolve) => { release = resolve; });
    page = await openPage({ view: '#/' });
    await page.page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('transactions(ids')) await held;
      await route.continue();
    });
    await page.go(`#/deposits/${daysAgo(20)}..${daysAgo(1)}`);
    const list = page.panel('List');
    await list.getByText(/^Page 1 of 3/).first().waitFor();
    await list.locator('tbody tr .row-time a').first().click();
    await list.getByRole('button', { name: 'Next' }).first().click();
    await list.getByText(/^Page 2 of 3/).first().waitFor();
    release();
    await list.locator('.row-webhooks').filter({ hasText: /\S/ }).filter({ hasNotText: 'reading…' }).first().waitFor();
    assert.match(page.page.url(), /page=2$/);
  });

  test('an API whose counts contradict its pages', async () => {
    const answer = await fetch(`${gateway.coreURL}/deposit?perPage=2`, { headers: gateway.headers });
    const body = JSON.stringify({ ...(await answer.json()), total: 412, totalPages: 9, perPage: 50 });
    await gateway.fault({ route: 'deposit', body });
    page = await openPage({ view: `#/deposits/${daysAgo(1)}` });
    await page.panel('List').getByText('Page 1. The API counts 412 deposits, which does not agree with its pages.').first().waitFor();
    assert.equal(await page.panel('List').locator('tbody tr').count(), 2);
    await page.panel('Sums').getByText('These sums are NOT those of the whole list.').waitFor();
    assert.equal(await page.panel('Sums').getByText(/^Complete/).count(), 0);
  });

  test('days without records, and a page that is not there', async () => {
    page = await openPage({ view: '#/deposits/2021-01-01' });
    await page.panel('List').getByText("No deposits in this period by the API's date filter.").waitFor();
    await complete();
    await page.go(`#/deposits/${daysAgo(1)}?page=7`);
    await page.panel('List').getByRole('link', { name: 'To the first page' }).click();
    await page.panel('List').getByText(/^Page 1 of 1/).first().waitFor();
  });

  test('the link of the list', async () => {
    const view = `#/withdrawals/${daysAgo(9)}..${daysAgo(3)}?status=PROCESSED`;
    page = await openPage({ view, permissions: ['clipboard-read', 'clipboard-write'] });
    await page.page.getByRole('button', { name: 'Copy link' }).click();
    await page.page.getByText('Copied', { exact: true }).waitFor();
    assert.equal(await page.clipboard(), new URL(`payments${view}`, gateway.consoleURL).href);
  });
});
