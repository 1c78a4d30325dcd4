// The page Payments in a monitored browser, operated like a user. A test opens it with usePayments of suite.js.

import { Console, openWatched } from './console.js';
import { fullAccess } from './personas.js';

/**
 * Opens the page of a gateway, signed in unless `persona` is null.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {import('../gateway.js').Gateway} gateway
 * @param {object} [options] of the browser's context; `view` is the fragment of the URL, such as '#/withdrawals/2026-11-23',
 *   `origin` the URL of the gateway's pages if it is not that of the gateway, `token` is pasted instead of signing in
 */
export async function openPayments(browser, gateway, { view = '', persona = fullAccess, token, origin = gateway.consoleURL, ...options } = {}) {
  const { context, page, watch } = await openWatched(browser, new URL(origin).origin, { locale: 'en-GB', ...options });
  watch.allowAborts(); // of what a view reads, when the user leaves it
  const payments = new Payments(gateway, context, page, watch);
  await page.goto(new URL(`payments${view}`, origin).href);
  await page.getByRole('button', { name: payments.words.paste }).waitFor();
  if (token) await payments.paste(token);
  else if (persona) await payments.signIn(persona);
  return payments;
}

export class Payments extends Console {
  #gateway;
  words = { signIn: /^(Sign in|Entrar)/, paste: /^(Paste a token|Colar um token)$/, use: /^(Use this token|Usar este token)$/, signOut: /^(Sign out|Sair)$/ };

  constructor(gateway, context, page, watch) {
    super(gateway, context, page, watch);
    this.#gateway = gateway;
  }

  async signIn(persona) {
    this.watch.allowIssuer(this.#gateway.issuerURL);
    const opened = this.context.waitForEvent('page');
    await this.page.getByRole('button', { name: this.words.signIn }).click();
    const issuer = await opened;
    const closed = issuer.waitForEvent('close');
    await issuer.locator(`button[value="${persona}"]`).click();
    await closed;
    await this.page.getByRole('button', { name: this.words.signOut }).waitFor();
  }

  async paste(token) {
    await this.page.getByRole('button', { name: this.words.paste }).click();
    await this.page.getByRole('dialog').getByRole('textbox').fill(token);
    await this.page.getByRole('button', { name: this.words.use }).click();
    await this.page.getByRole('button', { name: this.words.signOut }).waitFor();
  }

  /** Shows a view by its fragment, such as '#/transaction/…'. */
  async go(fragment) {
    await this.page.evaluate((hash) => { location.hash = hash; }, fragment);
  }

  /** A titled part of the view. */
  panel(name) {
    return this.page.getByRole('region', { name, exact: true });
  }
}
