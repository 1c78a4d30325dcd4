// GraphiQL as a person uses it, in a browser that is watched. A test opens one per gateway and person, and closes it,
// which fails for whatever the browser complained of.

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { holdLongTimers } from './timers.js';
import { Watch } from './watch.js';

// Far beyond what any step takes on a busy machine, so that only what never comes runs into it.
const patience = 180_000;

const shots = fileURLToPath(new URL('../out/', import.meta.url));

/**
 * Opens the page of a gateway and waits until it can be used.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {import('../gateway.js').Gateway} gateway
 * @param {object} [options] those of a context of the browser; `at` is where the page is when not at the gateway's root
 */
export async function openConsole(browser, gateway, { at = gateway.consoleURL, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(patience);
  const watch = new Watch(context, new URL(at).origin);
  await watch.start();
  await holdLongTimers(context);
  const page = await context.newPage();
  const began = performance.now();
  await page.goto(at);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await page.locator('.graphiql-execute-button:enabled').waitFor();
  return new Console(gateway, context, page, watch, performance.now() - began);
}

export class Console {
  /** Milliseconds from asking for the page to an editor with an operation that can be run. */
  readyAfter;
  page;
  watch;
  context;
  #gateway;

  constructor(gateway, context, page, watch, readyAfter) {
    this.#gateway = gateway;
    this.context = context;
    this.page = page;
    this.watch = watch;
    this.readyAfter = readyAfter;
  }

  get editor() {
    return this.page.locator('.graphiql-query-editor');
  }

  /** Puts an operation without a name into the editor in place of what is there. */
  async write(text) {
    await this.#type(this.editor, text);
    // GraphiQL reads the operation's name when one pauses, and puts it on the tab.
    await this.page.locator('.graphiql-tab-active', { hasText: '<untitled>' }).waitFor();
  }

  /** Puts variables into their editor in place of those that are there. */
  async writeVariables(variables) {
    await this.#type(this.page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden)'), JSON.stringify(variables));
  }

  async #type(editor, text) {
    await editor.locator('.view-lines').click();
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.press('Delete');
    await this.page.keyboard.type(text);
  }

  /** The answer to what somebody has run while `act` went on: the last one, where the first was refused. */
  async answerTo(act) {
    const answered = this.page.waitForResponse((response) => isOperation(response.request()) && response.status() !== 401);
    await act();
    const response = await answered;
    return { status: response.status(), ...(await response.json()) };
  }

  /** Runs what is in the editor, by the button. */
  run() {
    return this.answerTo(() => this.page.locator('.graphiql-execute-button').click());
  }

  /** The text of the response's editor, as far as it is in sight. */
  async shownAnswer() {
    const lines = this.page.locator('.graphiql-response .view-lines');
    return (await lines.innerText()).replaceAll('\u00a0', ' ');
  }

  /** Loads the page anew. */
  async reload() {
    await this.watch.leave(() => this.page.reload());
  }

  /** Brings the tab of an operation to the front. */
  async openTab(name) {
    await this.page.locator('.graphiql-tab-button', { hasText: name }).click();
    await this.editor.getByText(`query ${name}`).first().waitFor();
  }

  /** Opens a panel at the left, such as 'Upstream calls', if it is not open. */
  async show(panel) {
    const hide = this.page.getByRole('button', { name: `Hide ${panel}` });
    const show = this.page.getByRole('button', { name: `Show ${panel}` });
    if (await show.isVisible()) await show.click();
    await hide.waitFor();
  }

  /**
   * Signs in at the sandbox's issuer, in the window that it opens.
   *
   * @param {string} persona one of personas.js
   */
  async signIn(persona) {
    this.watch.allowIssuer(this.#gateway.issuerURL);
    const opened = this.context.waitForEvent('page');
    await this.page.locator('.console-sign-in').click();
    const issuer = await opened;
    const closed = issuer.waitForEvent('close');
    await issuer.locator(`button[value="${persona}"]`).click();
    await closed;
    await this.page.locator('.console-who').waitFor();
  }

  /** Gives the page a token in place of signing in. */
  async paste(token) {
    await this.page.locator('.console-paste').click();
    await this.page.locator('#console-token').fill(token);
    await this.page.getByRole('button', { name: 'Use this token' }).click();
  }

  /** How light the colour behind a part of the page is, from 0 to 1. */
  lightnessOf(part) {
    return this.page.locator(part).first().evaluate((element) => {
      for (let at = element; at; at = at.parentElement) {
        const [red, green, blue, alpha = 1] = getComputedStyle(at).backgroundColor.match(/[\d.]+/g).map(Number);
        if (alpha > 0.5) return (red + green + blue) / (3 * 255);
      }
      return 1;
    });
  }

  /** Keeps a picture of the page among the output of the tests. */
  async shoot(name) {
    mkdirSync(shots, { recursive: true });
    await this.page.screenshot({ path: `${shots}${name}.png`, animations: 'disabled', caret: 'hide' });
  }

  /** Keeps a picture as small as a README wants it. */
  async shootSmall(name) {
    mkdirSync(shots, { recursive: true });
    const session = await this.context.newCDPSession(this.page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 90 });
    writeFileSync(`${shots}${name}.webp`, data, 'base64');
    await session.detach();
  }

  /** Fails for everything that was wrong since the page was opened. */
  async close() {
    await this.watch.check();
    await this.context.close();
  }
}

/** Whether a request runs an operation of a person, not the page's own reading of the schema. */
function isOperation(request) {
  return request.method() === 'POST' && new URL(request.url()).pathname.endsWith('/graphql')
    && !request.postData()?.includes('__schema');
}
