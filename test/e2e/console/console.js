// GraphiQL in a monitored browser, operated like a user. A test opens a Console with useConsole of suite.js. It is closed at the
// end of the test, which fails for every error that the browser reported.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { holdLongTimers } from './timers.js';
import { Watch } from './watch.js';

// Much longer than any step takes on a busy machine, so that only a step that never ends exceeds it.
const timeout = 180_000;

const screenshots = fileURLToPath(new URL('../out/', import.meta.url));

/**
 * Opens the page of a gateway and waits until it is ready.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {import('../gateway.js').Gateway} gateway
 * @param {object} [options] of the browser's context; `at` is the URL of the page if it is not that of the gateway
 */
export async function openConsole(browser, gateway, { at = gateway.consoleURL, ...options } = {}) {
  const { context, page, watch } = await openWatched(browser, new URL(at).origin, options);
  const began = performance.now();
  await page.goto(at);
  await page.locator('main:not([inert]) .graphiql-query-editor .view-line').first().waitFor();
  const readyAfter = performance.now() - began;
  // The schema is loaded separately. A test that makes the gateway fail next could make it fail too.
  await page.waitForFunction(() => performance.getEntriesByName(new URL('schema.graphql', location).href).some((entry) => entry.responseEnd > 0));
  return new Console(gateway, context, page, watch, readyAfter);
}

/** An empty page in a context that notes every error, with options of the browser's context. */
export async function openWatched(browser, origin, options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(timeout);
  const watch = new Watch(context, origin);
  await watch.start();
  await holdLongTimers(context);
  if (process.env.DELAYS) await context.route('**/*', delayed);
  return { context, page: await context.newPage(), watch };
}

/** Makes the part DELAYS of the requests of pages late, by up to 4 s: a test that expects too early what they bring then fails. */
async function delayed(route) {
  if (Math.random() < Number(process.env.DELAYS)) await setTimeout(Math.random() * 4_000);
  await route.continue().catch(() => {}); // the page may be closed by now
}

export class Console {
  /** Milliseconds from the request of the page until an operation in the editor can be run. */
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

  /** Replaces the content of the editor by an unnamed operation. */
  async write(text) {
    await this.type(text);
    await this.read(text);
  }

  /** Types an operation, which GraphiQL reads after a pause. */
  type(text) {
    return this.#type(this.editor, text);
  }

  /** Waits until GraphiQL has read an unnamed operation that was typed. */
  async read(text) {
    // It stores what it has read. The editor closes the brackets that the text leaves open.
    await this.page.waitForFunction((typed) => {
      const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{"tabs":[]}');
      const stored = (tabs[activeTabIndex]?.query ?? '').replaceAll(/\s/g, '');
      return stored.startsWith(typed) && /^[\])}"]*$/.test(stored.slice(typed.length));
    }, text.replaceAll(/\s/g, ''));
    await this.page.locator('.graphiql-tab-active', { hasText: '<untitled>' }).waitFor();
  }

  /** Requests suggestions until one has a text: at first the editor's worker, or the schema in it, may not be there. */
  async suggest(text) {
    const suggestion = this.page.locator('.suggest-widget .monaco-list-row', { hasText: text }).first();
    for (let tries = 0; tries < 60 && await suggestion.count() === 0; tries++) {
      await this.page.keyboard.press('Escape');
      await this.page.keyboard.press('Control+Space');
      await suggestion.waitFor({ timeout: 3_000 }).catch(() => {});
    }
    await suggestion.waitFor();
  }

  /** Replaces the content of the variables editor. */
  async writeVariables(variables) {
    await this.#type(this.page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden)'), JSON.stringify(variables));
  }

  async #type(editor, text) {
    await editor.locator('textarea.inputarea').focus(); // a click could scroll the editor, and miss the text
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.press('Delete');
    await this.page.keyboard.insertText(text);
  }

  /** The response to the operation that `act` runs: the second one, if the first was refused with 401. */
  async answerTo(act) {
    const answered = this.page.waitForResponse((response) => isOperation(response.request()) && response.status() !== 401);
    await act();
    const response = await answered;
    return { status: response.status(), ...(await response.json()) };
  }

  /** Presses the button that runs the operation in the editor. */
  async execute() {
    await this.showPane('Query');
    await this.page.locator('.graphiql-execute-button').click();
  }

  /** Runs the operation in the editor with the button. */
  run() {
    return this.answerTo(() => this.execute());
  }

  /** Runs the subscription in the editor, and waits for its first event. */
  async subscribe() {
    await this.execute();
    await this.events.first().waitFor();
  }

  /** The listed events of a subscription, the newest first. */
  get events() {
    return this.page.getByRole('region', { name: 'Events' }).getByRole('radio');
  }

  /** The state of a subscription, such as 'Live · 2 events'. */
  get streamState() {
    return this.page.getByRole('region', { name: 'Events' }).getByRole('status');
  }

  /** The visible text of the response editor. */
  async shownAnswer() {
    const lines = this.page.locator('.graphiql-response .view-lines');
    return (await lines.innerText()).replaceAll('\u00a0', ' ');
  }

  /** What the page says about a problem, above everything. */
  get banner() {
    return this.page.getByRole('alert').filter({ has: this.page.getByRole('button', { name: 'Dismiss' }) });
  }

  /** The text in the clipboard; openPage needs the permission to read it. */
  clipboard() {
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  /** Copies the curl command of the operation, and returns it. */
  async copyCurl() {
    await this.page.getByRole('button', { name: 'Copy as curl' }).click();
    await this.page.getByText(/Copied the command/).waitFor();
    return this.clipboard();
  }

  /** Fails if the page is wider than the screen. */
  async fits() {
    const { scrollWidth, innerWidth } = await this.page.evaluate(() => ({ scrollWidth: document.documentElement.scrollWidth, innerWidth }));
    assert.ok(scrollWidth <= innerWidth, `the page is ${scrollWidth} wide on a screen of ${innerWidth}`);
  }

  /** Reloads the page. */
  async reload() {
    await this.watch.leave(() => this.page.reload());
  }

  /** Activates the tab of an operation. */
  async openTab(name) {
    await this.page.locator('.graphiql-tab-button', { hasText: name }).click();
    await this.editor.getByText(new RegExp(`(query|subscription)\\s${name}`)).first().waitFor();
  }

  /** On a narrow screen, shows a pane: 'Query', 'Answer', or the open panel. A wide screen shows all of them. */
  async showPane(name) {
    const button = this.page.locator('.console-panes').getByRole('button', { name, exact: true });
    if (await button.isVisible()) await button.click();
  }

  /** Opens a ready-made operation from its panel, which finds the ids that it needs. */
  async openOperation(title) {
    await this.show('Operations');
    await this.page.locator('.console-operation', { hasText: title }).click();
  }

  /** Opens a panel on the left, such as 'Upstream calls', if it is not open. */
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

  /** Pastes a token instead of signing in. */
  async paste(token) {
    await this.page.locator('.console-paste').click();
    await this.page.locator('#console-token').fill(token);
    await this.page.getByRole('button', { name: 'Use this token' }).click();
  }

  /** The lightness of the background of an element, from 0 to 1. */
  lightnessOf(part) {
    return this.page.locator(part).first().evaluate((element) => {
      for (let at = element; at; at = at.parentElement) {
        const [red, green, blue, alpha = 1] = getComputedStyle(at).backgroundColor.match(/[\d.]+/g).map(Number);
        if (alpha > 0.5) return (red + green + blue) / (3 * 255);
      }
      return 1;
    });
  }

  /** Saves a screenshot of the page in the output of the tests. */
  async saveScreenshot(name) {
    mkdirSync(screenshots, { recursive: true });
    await this.page.screenshot({ path: `${screenshots}${name}.png`, animations: 'disabled', caret: 'hide' });
  }

  /** Saves a screenshot for the documentation, as a small file. */
  async saveSmallScreenshot(name) {
    mkdirSync(screenshots, { recursive: true });
    const session = await this.context.newCDPSession(this.page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 90 });
    writeFileSync(`${screenshots}${name}.webp`, data, 'base64');
    await session.detach();
  }

  /** Fails for every error since the page was opened. */
  async close() {
    try {
      await this.watch.check();
    } finally {
      await this.context.close();
    }
  }
}

/** Whether a request runs an operation of the user, rather than reading the schema. */
function isOperation(request) {
  return request.method() === 'POST' && new URL(request.url()).pathname.endsWith('/graphql')
    && !request.postData()?.includes('__schema');
}
