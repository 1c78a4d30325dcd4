// Tests of the monitor that the other tests of the console rely on.

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { useGateway } from '../suite.js';
import { launchBrowser } from './browser.js';
import { openPayments } from './payments.js';

// Errors of a page, the browser's event for each, and the expected report.
const cases = [
  { name: 'an error on the console', event: 'console', act: () => console.error('oh no'), says: /console: oh no/ },
  { name: 'an exception', event: 'weberror', act: () => { setTimeout(() => { throw new Error('oh no'); }); }, says: /oh no/ },
  {
    name: 'an inline script', event: 'console', says: /policy: script-src-elem forbids inline/,
    act: () => { document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = true' })); },
  },
  {
    name: 'a script from a string', event: 'console', says: /policy: script-src forbids eval/,
    act: () => { setTimeout('window.ran = true'); },
  },
  {
    name: 'a call to another origin', event: 'console', says: /policy: connect-src forbids https:\/\/elsewhere\.example/,
    act: () => { fetch('https://elsewhere.example/').catch(() => {}); },
  },
  {
    name: 'a window at another origin', event: 'requestfailed', says: /request to another origin: https:\/\/elsewhere\.example/,
    act: () => { open('https://elsewhere.example/'); },
  },
  {
    name: 'a request that fails', event: 'console', says: /console: .*status of 404/,
    act: () => { fetch('no-such-thing'); },
  },
  {
    name: 'a stored token', says: /a secret in localStorage/,
    act: () => { localStorage.setItem('token', 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln'); },
  },
  {
    name: 'a token in a URL', says: /secret in a URL/, event: 'requestfinished',
    act: () => { fetch('schema.graphql?token=eyJhbGciOiJFUzI1NiJ9.e30.c2ln'); },
  },
  {
    name: "the issuer's response in the URL", says: /a response of the issuer in the URL/,
    act: () => { history.replaceState(null, '', '?code=c&state=s'); },
  },
];

describe('the monitor reports', () => {
  let browser, page;
  before(async () => { browser = await launchBrowser(); });
  afterEach(() => page.context.close());
  after(() => browser?.close());
  const gateway = useGateway();

  const open = () => openPayments(browser, gateway, { persona: null }); // the smaller page

  for (const { name, event, act, says } of cases) {
    test(name, async () => {
      page = await open();
      await Promise.all([event && page.context.waitForEvent(event), page.page.evaluate(act)]);
      await assert.rejects(page.watch.check(), says);
    });
  }

  test('nothing without an error, unless one was expected', async () => {
    page = await open();
    await page.watch.check();
    page.watch.expect(/never/);
    await assert.rejects(page.watch.check(), /expected an error like \/never\//);
  });
});
