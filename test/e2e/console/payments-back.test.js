// Back and forward in Payments: a user who returns from a record is where he was.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { daysAgo } from './days.js';
import { usePayments } from './suite.js';

const viewport = { width: 1024, height: 700 };
const days = `${daysAgo(13)}..${daysAgo(0)}`;

describe('back in Payments', () => {
  const { gateway, openPage } = usePayments();
  let page;

  const row = (panel, index) => page.panel(panel).locator('.row-time a').nth(index);
  const scrolled = () => page.page.evaluate(() => scrollY);

  /** Waits until the webhooks of the rows in view were read, which can be of several lines. */
  function settled() {
    return page.page.waitForFunction(() => [...document.querySelectorAll('.row-webhooks')].every((cell) => {
      const { top, bottom } = cell.closest('tr').getBoundingClientRect();
      const table = cell.closest('.table-scroll').getBoundingClientRect();
      return top > Math.min(innerHeight, table.bottom) || bottom < Math.max(0, table.top) || !/^(reading…)?$/.test(cell.textContent.trim());
    }));
  }

  /** Opens the record of a row, and returns its id and where it was on the screen. */
  async function leave(panel, index) {
    await row(panel, index).scrollIntoViewIfNeeded();
    assert.ok(await scrolled() > 0);
    await settled();
    const { id, y } = await row(panel, index).evaluate((link) => ({ id: link.closest('[data-id]').dataset.id, y: link.getBoundingClientRect().top }));
    await row(panel, index).click();
    await page.panel('Details').or(page.page.getByText('There is no payment page')).first().waitFor();
    assert.equal(await scrolled(), 0);
    return { id, y };
  }

  /** Waits until the link has the focus where it was on the screen. */
  function returned({ id, y }) {
    return page.page.waitForFunction((place) => {
      const link = document.activeElement;
      return link.closest('[data-id]')?.dataset.id === place.id && Math.abs(link.getBoundingClientRect().top - place.y) < 2;
    }, { id, y });
  }

  test('a list is where it was, also its table, though it is read again', async () => {
    page = await openPage({ token: gateway.token, viewport, view: `#/deposits/${days}` });
    await page.panel('Sums').getByText(/^Complete/).waitFor();
    const place = await leave('List', 28);
    await page.page.goBack();
    await returned(place);
    await page.page.goForward();
    await page.page.waitForFunction(() => document.activeElement.id === 'content' && scrollY === 0);
    await page.page.goBack();
    await returned(place);
  });

  test('the results of a search are where they were', async () => {
    page = await openPage({ token: gateway.token, viewport });
    await page.page.getByLabel('Days to search').selectOption({ label: 'Last 7 days' });
    await page.page.getByRole('textbox', { name: 'Find a payment' }).fill('ar');
    await page.page.keyboard.press('Enter');
    await page.panel('Results').getByText(/records found/).waitFor();
    const place = await leave('Results', 9);
    await page.page.goBack();
    await returned(place);
  });

  test('a link to a view begins at its top, and a user who does something is not moved', async () => {
    page = await openPage({ token: gateway.token, viewport, view: `#/deposits/${days}` });
    await page.panel('Sums').getByText(/^Complete/).waitFor();
    await leave('List', 10);
    await page.page.getByRole('link', { name: 'Deposits', exact: true }).click();
    await page.panel('List').waitFor();
    await page.page.waitForFunction(() => document.activeElement.id === 'content' && scrollY === 0);
    await page.page.goBack();
    await page.panel('Details').waitFor();
    let release;
    const pressed = new Promise((resolve) => { release = resolve; });
    await page.page.route('**/graphql', (route) => pressed.then(() => route.continue()));
    await page.page.goBack();
    await page.panel('List').waitFor();
    await page.page.keyboard.press('Shift');
    release();
    await page.panel('List').locator('.row-time a').first().waitFor();
    assert.equal(await page.page.evaluate(() => document.activeElement.id), 'content');
  });
});
