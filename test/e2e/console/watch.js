// Monitors the browser during a test. A test that passes by its own assertions fails here for an error on the console,
// a violation of the page's policy, a failed request, a request to another origin, or a token where none may be.

import assert from 'node:assert/strict';

// What a token or a response of the issuer looks like in a URL or a storage.
const secrets = /eyJ[\w-]+\.|access_token|code_verifier/;

export class Watch {
  #context;
  #origin;
  #issuer; // the issuer's origin, once the user signs in
  #expected = [];
  #allowed = [];
  #errors = [];
  #requests = [];
  #finished = []; // requests that got a response
  #leaving = false;
  #aborts = false;

  /**
   * @param {import('playwright-core').BrowserContext} context
   * @param {string} origin of the page
   */
  constructor(context, origin) {
    this.#context = context;
    this.#origin = origin;
    context.on('console', (message) => {
      if (message.type() === 'error') this.#report('console', `${message.text()} ${message.location().url}`);
    });
    context.on('weberror', (error) => this.#report('exception', error.error().stack));
    context.on('request', (request) => this.#checkRequest(request));
    context.on('requestfinished', (request) => this.#finished.push(request));
    context.on('requestfailed', (request) => {
      const { errorText } = request.failure();
      // The page ends streams. A download or a response in parts that was read to its end can be reported as aborted; the tests
      // read the file or the last part.
      const isStream = /^(text\/event-stream|text\/csv|application\/x-ndjson|multipart\/mixed)/.test(request.headers().accept);
      if (!(this.#leaving || this.#aborts || isStream) || errorText !== 'net::ERR_ABORTED') this.#report('request', `${request.url()}: ${errorText}`);
    });
  }

  /** Makes pages log violations of their policy on the console. Await it before the first page is opened. */
  async start() {
    await this.#context.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) => {
        console.error(`policy: ${event.violatedDirective} forbids ${event.blockedURI} at ${event.sourceFile}:${event.lineNumber}`);
      });
    });
  }

  #report(kind, text) {
    this.#errors.push(`${kind}: ${text}`);
  }

  #checkRequest(request) {
    const url = new URL(request.url());
    if (url.protocol === 'data:') return;
    this.#requests.push(request);
    if (url.origin !== this.#origin && url.origin !== this.#issuer) this.#report('request to another origin', url.href);
    if (secrets.test(url.href)) this.#report('secret in a URL', url.href);
  }

  /** From now on requests to the issuer are allowed too: the user signs in. */
  allowIssuer(url) {
    this.#issuer = new URL(url).origin;
  }

  /**
   * Lets the browser leave a page: it aborts requests that are still running, such as for a worker, which is not a
   * failure.
   */
  async leave(act) {
    this.#leaving = true;
    await act();
    this.#leaving = false;
  }

  /** From now on the page may abort requests whose responses it no longer needs. */
  allowAborts() {
    this.#aborts = true;
  }

  /** An error that the test causes. If it does not occur, the test fails too. */
  expect(pattern) {
    this.#expected.push(pattern);
  }

  /** An error that the test may cause, or not. */
  allow(pattern) {
    this.#allowed.push(pattern);
  }

  /** The requests so far. */
  get requests() {
    return this.#requests;
  }

  /**
   * The size of the responses so far, header and body as they were sent. Only complete ones count: Playwright would
   * wait indefinitely for the size of the others.
   */
  async transferred() {
    const sizes = await Promise.all(this.#finished.map((request) => request.sizes()));
    return sizes.reduce((sum, { responseHeadersSize, responseBodySize }) => sum + responseHeadersSize + responseBodySize, 0);
  }

  /** Fails for every unexpected error, and for a token that a page stored. */
  async check() {
    for (const page of this.#context.pages().filter((page) => new URL(page.url()).origin === this.#origin)) {
      assert.doesNotMatch(page.url(), secrets, 'a secret in the URL');
      assert.doesNotMatch(page.url(), /[?&](code|state)=/, 'a response of the issuer in the URL');
      assert.doesNotMatch(await page.evaluate(() => JSON.stringify(localStorage)), secrets, 'a secret in localStorage');
    }
    for (const pattern of this.#expected) {
      while (!this.#errors.some((text) => pattern.test(text))) { // the browser may report it after the page has shown it
        await this.#context.waitForEvent('console', { timeout: 10_000 }).catch(() => assert.fail(`expected an error like ${pattern}`));
      }
    }
    const known = [...this.#expected, ...this.#allowed];
    const unexpected = this.#errors.filter((text) => !known.some((pattern) => pattern.test(text)));
    assert.equal(unexpected.join('\n'), '');
  }
}
