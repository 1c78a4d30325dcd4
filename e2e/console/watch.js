// What a browser complains of and whom it talks to, while a test does something else. A test that passes by its own
// assertions fails here for an error on the console, a violation of the page's policy, a request that failed, a request
// to anybody but the gateway, or a token where none may be.

import assert from 'node:assert/strict';

// How a token and an answer of the issuer look in an address or a storage.
const secrets = /eyJ[\w-]+\.|access_token|code_verifier/;

export class Watch {
  #context;
  #origin;
  #issuer; // the issuer's origin, once somebody signs in
  #expected = [];
  #complaints = [];
  #requests = [];
  #finished = []; // those of the requests that were answered
  #leaving = false;

  /**
   * @param {import('playwright-core').BrowserContext} context
   * @param {string} origin where the page comes from
   */
  constructor(context, origin) {
    this.#context = context;
    this.#origin = origin;
    context.on('console', (message) => {
      if (message.type() === 'error') this.#complain('console', `${message.text()} ${message.location().url}`);
    });
    context.on('weberror', (error) => this.#complain('exception', error.error().stack));
    context.on('request', (request) => this.#judge(request));
    context.on('requestfinished', (request) => this.#finished.push(request));
    context.on('requestfailed', (request) => {
      const { errorText } = request.failure();
      if (!this.#leaving || errorText !== 'net::ERR_ABORTED') this.#complain('request', `${request.url()}: ${errorText}`);
    });
  }

  /** Has pages say on the console what their policy forbids them. Await it before the first page is opened. */
  async start() {
    await this.#context.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) => {
        console.error(`policy: ${event.violatedDirective} forbids ${event.blockedURI} at ${event.sourceFile}:${event.lineNumber}`);
      });
    });
  }

  #complain(kind, text) {
    this.#complaints.push(`${kind}: ${text}`);
  }

  #judge(request) {
    const url = new URL(request.url());
    if (url.protocol === 'data:') return;
    this.#requests.push(request);
    if (url.origin !== this.#origin && url.origin !== this.#issuer) this.#complain('request to another origin', url.href);
    if (secrets.test(url.href)) this.#complain('secret in an address', url.href);
  }

  /** From now on the issuer may be asked too: somebody signs in. */
  allowIssuer(url) {
    this.#issuer = new URL(url).origin;
  }

  /** Has the browser leave a page: it gives up what that was still loading, such as a worker, which is no failure. */
  async leave(act) {
    this.#leaving = true;
    await act();
    this.#leaving = false;
  }

  /** A complaint that the test brings about; one that never comes fails the test too. */
  expect(pattern) {
    this.#expected.push(pattern);
  }

  /** The requests so far. */
  get requests() {
    return this.#requests;
  }

  /**
   * How many bytes the answers so far had, header and body as they were sent. Only those that are whole count: Playwright
   * waits for the size of another without an end.
   */
  async transferred() {
    const sizes = await Promise.all(this.#finished.map((request) => request.sizes()));
    return sizes.reduce((sum, { responseHeadersSize, responseBodySize }) => sum + responseHeadersSize + responseBodySize, 0);
  }

  /** Fails for every complaint that was not expected, and for a token that a page left behind. */
  async check() {
    for (const page of this.#context.pages().filter((page) => new URL(page.url()).origin === this.#origin)) {
      assert.doesNotMatch(page.url(), secrets, 'a secret in the address');
      assert.doesNotMatch(page.url(), /[?&](code|state)=/, 'an answer of the issuer in the address');
      assert.doesNotMatch(await page.evaluate(() => JSON.stringify(localStorage)), secrets, 'a secret in localStorage');
    }
    const unexpected = this.#complaints.filter((text) => !this.#expected.some((pattern) => pattern.test(text)));
    assert.equal(unexpected.join('\n'), '');
    for (const pattern of this.#expected) {
      assert.ok(this.#complaints.some((text) => pattern.test(text)), `expected a complaint like ${pattern}`);
    }
  }
}
