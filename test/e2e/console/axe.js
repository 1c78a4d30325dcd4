// axe-core in the page: violations of WCAG and of good practice that a program can find.

import assert from 'node:assert/strict';
import axe from 'axe-core/axe.min.js';

/**
 * Violations in GraphiQL's own widgets, which it gives no means to change. Each is a rule, the elements, and the reason.
 */
const ofGraphiQL = [
  { rule: 'nested-interactive', within: '.graphiql-tab', reason: 'a tab contains its button and the one that closes it' },
  {
    rule: 'label-content-name-mismatch', within: '.graphiql-history-item-label',
    reason: 'the name of an item of the history is "Set active", and the operation is its text',
  },
];

/** Fails for each violation in the page as it is now, other than those of GraphiQL. */
export async function checkWithAxe({ page }, state) {
  if (!await page.evaluate(() => 'axe' in globalThis)) await page.evaluate(axe.source);
  const found = await page.evaluate(async (known) => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) => nodes
      .filter(({ target }) => !known.some(({ rule, within }) => rule === id && document.querySelector(target.at(-1))?.closest(within)))
      .map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`));
  }, ofGraphiQL);
  assert.deepEqual(found, [], state);
}
