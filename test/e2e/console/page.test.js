// The page before the user signs in: it opens with few requests, completes and validates operations, documents the
// schema, and supports dark mode.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useConsole } from './suite.js';

describe('the page', () => {
  const { gateway, openPage } = useConsole();
  let page;

  test('opens with few requests, and with the ready-made operation that needs no ids, for which the user has to sign in', async (t) => {
    page = await openPage();
    const { readyAfter, watch } = page;
    const bytes = await watch.transferred();
    t.diagnostic(`ready after ${Math.round(readyAfter)} ms, ${watch.requests.length} requests, ${bytes} bytes transferred`);
    assert.ok(watch.requests.length <= 25, watch.requests.map((request) => request.url()).join('\n'));
    // A release compresses more, by an eighth.
    assert.ok(bytes > 100_000, `${bytes} bytes are not the whole page`);
    assert.ok(bytes <= 1_350_000, `${bytes} bytes are more than the first load may transfer`);
    assert.deepEqual(await page.page.locator('.graphiql-tab-button').allInnerTexts(), ['Dashboard']);

    await page.execute();
    await page.page.locator('.graphiql-response').getByText('there is no valid token').waitFor();
    assert.deepEqual(watch.requests.filter((request) => request.url().endsWith('/graphql')), []);
  });

  test('takes no click before the editors are there, so that none is lost', async () => {
    page = await openPage();
    await page.paste(gateway.token);
    let send;
    const sent = new Promise((resolve) => { send = resolve; });
    await page.context.route('**/monaco-editor-*.js', (route) => sent.then(() => route.continue()));
    await page.watch.leave(() => page.page.reload({ waitUntil: 'commit' }));
    await page.paste(gateway.token);
    await page.page.locator('main[inert] .graphiql-execute-button').waitFor();
    const answer = page.run();
    await page.page.locator('.console-sign-out').waitFor();
    send();
    assert.ok((await answer).data?.deposits.nodes.length > 0);
  });

  test('completes fields from the schema, marks unknown ones, and documents them', async () => {
    page = await openPage();
    await page.write('{ deposits { nodes { amountP');
    await page.suggest('amountPaid');
    await page.page.keyboard.press('Enter');
    await page.editor.getByText('amountPaid').waitFor();

    await page.write('{ deposits { nodes { amounts } } }');
    await page.editor.locator('.squiggly-error').first().waitFor();
    await page.write('{ deposits { nodes { amount } } }');
    await page.editor.locator('.squiggly-error').first().waitFor({ state: 'detached' });

    await page.show('Documentation Explorer');
    const docs = page.page.locator('.graphiql-doc-explorer');
    await docs.getByText('Query', { exact: true }).click();
    await docs.getByText('DepositConnection').click();
    await docs.getByText('The number of deposits that match the filter, on all pages.').waitFor();
  });

  test('opens an operation from the list', async () => {
    page = await openPage();
    await page.write('{ withdrawals { totalCount } }'); // replaces the dashboard
    await page.openOperation('Dashboard');
    await page.editor.getByText('query Dashboard').waitFor();
    assert.equal(await page.page.locator('.graphiql-tab-button').count(), 2);
  });

  test('restores its state after a reload', async () => {
    page = await openPage();
    await page.write('{ deposits(first: 9) { totalCount } }');
    await page.page.waitForFunction(() => localStorage.getItem('graphiql:tabState')?.includes('first: 9'));
    await page.reload();
    await page.editor.getByText('first: 9').waitFor();
    await page.openOperation('Reconciliation');
    await page.openTab('Reconciliation');
    await page.page.waitForFunction(() => {
      const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState'));
      return activeTabIndex === 1 && tabs[1].query?.includes('query Reconciliation') && tabs[1].variables?.includes('PAID');
    });
    await page.reload();
    await page.editor.getByText('query Reconciliation').waitFor();
    await page.page.locator('.graphiql-editor-tool').getByText('"PAID"').waitFor();
    assert.equal(await page.page.locator('.graphiql-tab-button').count(), 2);
  });

  test('runs an operation with the keyboard', async () => {
    page = await openPage();
    await page.paste(gateway.token);
    await page.write('{ deposits(first: 1) { totalCount } }');
    const answer = await page.answerTo(() => page.page.keyboard.press('ControlOrMeta+Enter'));
    const data = answer.data;
    assert.ok(data?.deposits.totalCount > 0, JSON.stringify(answer));
  });

  for (const colorScheme of ['light', 'dark']) {
    test(`follows the system's ${colorScheme} theme`, async () => {
      page = await openPage({ colorScheme });
      await page.saveScreenshot(`console-${colorScheme}`);
      for (const part of ['.console-account', '.graphiql-query-editor .monaco-editor']) {
        const lightness = await page.lightnessOf(part);
        assert.ok(colorScheme === 'dark' ? lightness < 0.4 : lightness > 0.6, `${part} has lightness ${lightness}`);
      }
    });
  }

  test('a link opens its operation without running it, and the toolbar copies such a link', async () => {
    const of = { query: '{ transaction(id: "x&y") { id } }', variables: '{"a":1}' };
    const permissions = ['clipboard-read', 'clipboard-write'];
    page = await openPage({ at: `${gateway.consoleURL}?${new URLSearchParams(of)}`, permissions });
    const shown = () => page.page.waitForFunction(() => {
      const text = (editor) => document.querySelector(`${editor} .view-lines`)?.textContent.replaceAll(/\s/g, '');
      return text('.graphiql-query-editor') === '{transaction(id:"x&y"){id}}' && text('.graphiql-editor-tool .graphiql-editor:not(.hidden)') === '{"a":1}';
    });
    await shown();
    assert.equal(page.page.url(), gateway.consoleURL);
    await page.page.getByRole('button', { name: 'Copy a link' }).click();
    await page.page.getByRole('button', { name: 'Copied the link.' }).waitFor();
    const link = new URL(await page.clipboard());
    assert.deepEqual([link.search, Object.fromEntries(new URLSearchParams(link.hash.slice(1)))], ['', of]);
    await page.write('{ deposits { totalCount } }');
    await page.watch.leave(() => page.page.goto(link.href)); // only the fragment differs, so the page reloads itself
    await shown();
    assert.ok(!page.watch.requests.some((request) => request.postData()?.includes('x&y')), 'it was run');
  });
});
