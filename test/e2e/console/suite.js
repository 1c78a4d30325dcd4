// What the tests of a suite in the browser share.

import { after, afterEach, before } from 'node:test';
import { useGateway } from '../suite.js';
import { launchBrowser } from './browser.js';
import { openConsole } from './console.js';
import { openPayments } from './payments.js';

/**
 * A browser and a gateway for the tests of a suite. A test opens the page, which is closed after it.
 *
 * @param {...string} flags of the gateway
 * @returns {{ gateway: import('../gateway.js').Gateway, openPage: (options?: object) => Promise<import('./console.js').Console> }}
 *   the options are those of openConsole
 */
export function useConsole(...flags) {
  const { gateway, openConsole } = useBrowser(...flags);
  return { gateway, openPage: openConsole };
}

/** The same for Payments: the options are those of openPayments. */
export function usePayments(...flags) {
  const { gateway, openPayments } = useBrowser(...flags);
  return { gateway, openPage: openPayments };
}

/** The same for both pages. */
export function useBrowser(...flags) {
  let browser;
  const pages = [];
  before(async () => { browser = await launchBrowser(); });
  afterEach(() => Promise.all(pages.splice(0).map((page) => page.close())));
  after(() => browser?.close());
  const gateway = useGateway(...flags);
  const opened = (page) => {
    pages.push(page);
    return page;
  };
  return {
    gateway,
    openConsole: async (options) => opened(await openConsole(browser, gateway, options)),
    openPayments: async (options) => opened(await openPayments(browser, gateway, options)),
  };
}

/** Moves the open payments from PENDING to PIX_QRCODE_GENERATED to PAID until an element, which a locator gives, is there. */
export async function stepUntil(gateway, element) {
  for (let tries = 0; tries < 60 && await element().count() === 0; tries++) {
    await gateway.step();
    await element().waitFor({ timeout: 2_000 }).catch(() => {}); // the gateway reads a payment that is PAID every 30 s
  }
  await element().waitFor();
}
