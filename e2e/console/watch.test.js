// The watch itself: a test of the console is worth what the watch would notice.

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { startGateway } from '../gateway.js';
import { launchBrowser } from './browser.js';
import { openConsole } from './console.js';

// What a page might do, the event by which the browser tells it, and what the watch then says.
const misdeeds = [
  { name: 'an error on the console', event: 'console', act: () => console.error('oh dear'), says: /console: oh dear/ },
  { name: 'an exception', event: 'weberror', act: () => { setTimeout(() => { throw new Error('oh no'); }); }, says: /oh no/ },
  {
    name: 'a script within the page', event: 'console', says: /policy: script-src-elem forbids inline/,
    act: () => { document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = true' })); },
  },
  {
    name: 'a script that is made of text', event: 'console', says: /policy: script-src forbids eval/,
    act: () => { setTimeout('window.ran = true'); },
  },
  {
    name: 'a call to another origin', event: 'console', says: /policy: connect-src forbids https:\/\/elsewhere\.example/,
    act: () => { fetch('https://elsewhere.example/').catch(() => {}); },
  },
  {
    name: 'a window on another origin', event: 'requestfailed', says: /request to another origin: https:\/\/elsewhere\.example/,
    act: () => { open('https://elsewhere.example/'); },
  },
  {
    name: 'a request that is refused', event: 'console', says: /console: .*status of 404/,
    act: () => { fetch('no-such-thing'); },
  },
  {
    name: 'a token that is stored', says: /a secret in localStorage/,
    act: () => { localStorage.setItem('token', 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln'); },
  },
  {
    name: 'a token in an address', says: /secret in an address/, event: 'requestfinished',
    act: () => { fetch('schema.graphql?token=eyJhbGciOiJFUzI1NiJ9.e30.c2ln'); },
  },
  {
    name: "the issuer's answer in the address", says: /an answer of the issuer in the address/,
    act: () => { history.replaceState(null, '', '?code=c&state=s'); },
  },
];

describe('the watch notices', () => {
  let gateway, browser, page;
  before(async () => {
    browser = await launchBrowser();
    gateway = await startGateway();
  });
  afterEach(() => page.context.close());
  after(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  for (const { name, event, act, says } of misdeeds) {
    test(name, async () => {
      page = await openConsole(browser, gateway);
      await Promise.all([event && page.context.waitForEvent(event), page.page.evaluate(act)]);
      await assert.rejects(page.watch.check(), says);
    });
  }

  test('nothing where nothing is wrong, unless something was expected', async () => {
    page = await openConsole(browser, gateway);
    await page.watch.check();
    page.watch.expect(/never/);
    await assert.rejects(page.watch.check(), /expected a complaint like \/never\//);
  });
});
