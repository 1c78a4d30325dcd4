// The layout on each screen: labels of the sidebar, panes, and nothing wider than the screen.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fullAccess } from './personas.js';
import { phone, screens, tablet } from './screens.js';
import { useConsole } from './suite.js';

const panels = ['Documentation Explorer', 'Operations', 'Webhooks', 'Explorer', 'Upstream calls', 'History'];

describe('the layout', () => {
  const { gateway, openPage } = useConsole();
  let page;

  for (const viewport of screens) {
    test(`labels the sidebar, gives a first answer after three clicks, and is not wider than the screen, at ${viewport.width}`, async () => {
      page = await openPage({ viewport });
      const labels = await page.page.locator('.graphiql-sidebar > button').evaluateAll((buttons) => buttons.map((button) => ({
        name: button.getAttribute('aria-label'),
        label: JSON.parse(getComputedStyle(button, '::after').content),
        cut: button.scrollWidth > button.clientWidth,
      })));
      assert.ok(labels.length >= panels.length + 3);
      for (const { name, label, cut } of labels) {
        assert.ok(name.toLowerCase().includes(label.toLowerCase()), `the name "${name}" is without its label "${label}"`);
        assert.ok(label.length < 20 && !/^(show|hide)/i.test(label), `"${name}" has no short label`);
        assert.ok(!cut, `the label "${label}" is cut off`);
      }

      await page.signIn(fullAccess); // two clicks: the button, and the persona in the window
      const { data, errors } = await page.run();
      assert.equal(errors, undefined);
      assert.ok(data.deposits.nodes.length > 0);
      await page.page.locator('.graphiql-response').getByText('"data"').waitFor();
      assert.deepEqual(await tooWide(page), []);
      for (const panel of panels) {
        await page.show(panel);
        assert.deepEqual(await tooWide(page), [], panel);
        await page.saveScreenshot(`layout-${viewport.width}-${panel.replaceAll(' ', '-')}`);
      }
    });
  }

  test('stacks query and answer on a tablet', async () => {
    page = await openPage({ viewport: tablet });
    const [query, answer] = await boxes(page, '.graphiql-editors', '.graphiql-response');
    assert.ok(answer.y >= query.y + query.height, 'the answer is below the query');
    assert.ok(Math.abs(answer.width - query.width) < 2, 'both have the whole width');
    assert.equal(await page.page.locator('.console-panes').isVisible(), false);
    // Clicks in the answer reach it, although parts of the editor above are larger than its pane.
    const owner = await page.page.evaluate(([x, y]) => document.elementFromPoint(x, y).closest('.graphiql-editors, .graphiql-response').className, [
      answer.x + 20, answer.y + 40,
    ]);
    assert.equal(owner, 'graphiql-response');
  });

  test('shows one pane on a phone, and follows the user', async () => {
    page = await openPage({ viewport: phone, hasTouch: true });
    const shown = async (...parts) => {
      for (const part of ['.graphiql-plugin', '.graphiql-editors', '.graphiql-response']) {
        await page.page.locator(part).waitFor({ state: parts.includes(part) ? 'visible' : 'hidden' });
      }
    };
    await shown('.graphiql-editors');
    await page.paste(gateway.token);
    await page.run();
    await shown('.graphiql-response');
    await page.showPane('Query');
    await shown('.graphiql-editors');
    await page.showPane('Answer');
    await shown('.graphiql-response');
    await page.show('Explorer');
    await shown('.graphiql-plugin');
    await page.showPane('Query');
    await shown('.graphiql-editors');
    await page.showPane('Explorer');
    await shown('.graphiql-plugin');
    await page.page.getByRole('button', { name: 'Hide Explorer' }).click();
    await shown('.graphiql-editors');
    await page.showPane('Answer');
    await page.page.locator('.graphiql-tab-add').click();
    await shown('.graphiql-editors');
    for (const control of ['.console-paste', '.graphiql-execute-button', '.graphiql-tab-add']) {
      await page.page.locator(control).click({ trial: true }); // fails if another element covers it
    }
  });

  test('shows on a phone what was dragged away on a wide screen', async () => {
    page = await openPage();
    const bar = await page.page.locator('#graphiql-session > .graphiql-horizontal-drag-bar').boundingBox();
    await page.page.mouse.move(bar.x + 2, bar.y + 50);
    await page.page.mouse.down();
    await page.page.mouse.move(1270, bar.y + 50, { steps: 4 });
    await page.page.mouse.up();
    await page.page.locator('.graphiql-response').evaluate((pane) => getComputedStyle(pane).opacity).then((opacity) => assert.equal(opacity, '0'));
    await page.page.setViewportSize(phone);
    await page.showPane('Answer');
    const [answer] = await boxes(page, '.graphiql-response');
    assert.ok(answer.x >= 0 && answer.width > 300, JSON.stringify(answer));
    assert.equal(await page.page.locator('.graphiql-response').evaluate((pane) => getComputedStyle(pane).opacity), '1');
  });
});

function boxes({ page }, ...selectors) {
  return Promise.all(selectors.map((selector) => page.locator(selector).boundingBox()));
}

/** The visible elements that reach beyond the screen, other than those inside an area that scrolls or cuts off. */
function tooWide({ page }) {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const beyond = [...document.querySelectorAll('body *')].filter((element) => {
      if (element.getBoundingClientRect().right <= width + 1) return false;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
      for (let at = element.parentElement; at !== document.body; at = at.parentElement) {
        if (getComputedStyle(at).overflowX !== 'visible' && at.getBoundingClientRect().right <= width + 1) return false;
      }
      return true;
    });
    const scrolls = document.documentElement.scrollWidth > width ? ['the page scrolls'] : [];
    return [...scrolls, ...beyond.map((element) => `${element.tagName} ${element.className}`)];
  });
}
