// The gateway as its users run it: the binary, over its own sandbox, on free ports of loopback. useGateway of suite.js starts
// one for the tests of a suite and stops it; a client needs its `url` and `headers`.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const binary = process.env.GATEWAY_BIN ?? fileURLToPath(new URL('../../bin/pixgraph', import.meta.url));

// The home directory of all gateways of a test file: they share the key of the sandbox, which is in the user's cache.
const home = mkdtempSync(join(tmpdir(), 'pixgraph-e2e-'));
process.once('exit', () => rmSync(home, { recursive: true, force: true }));

// Much longer than starting and stopping take on a busy machine, so that only a hanging gateway exceeds them.
const startTimeout = 180_000;
const stopTimeout = 180_000;
// As long as the settings allow: what the sandbox answers is never an upstream timeout, however busy the machine is.
const timeouts = ['--upstream-timeout=50s', '--operation-timeout=50s'];

/** A started gateway, for a test that starts and stops its own. */
export async function startGateway(...flags) {
  const gateway = new Gateway();
  await gateway.start(...flags);
  return gateway;
}

/** A gateway with its sandbox. */
export class Gateway {
  /** The URL of GraphQL. */
  url;
  /** The URL of GraphiQL. */
  consoleURL;
  /** The routes of the sandbox, and its OIDC issuer; only for a gateway over its sandbox, as the token. */
  sandboxURL;
  issuerURL;
  /** The URL of the schema file. */
  schemaURL;
  /** The URLs of the two REST APIs. */
  coreURL;
  dispatcherURL;
  /** The URL of metrics and health. */
  adminURL;
  /** A bearer token with every scope, valid for one hour. */
  token;

  #child;
  #ended;
  #stderr = '';
  #output = () => {}; // called after each new output

  /** Starts it with additional flags. If it does not start, the promise is rejected with its output. */
  async start(...flags) {
    assert.ok(existsSync(binary), `${binary} is not there: run "make build", or set GATEWAY_BIN`);
    process.setMaxListeners(0); // each gateway has one, below
    const child = spawn(binary, [...timeouts, ...flags], {
      // Nothing of this environment may become a setting.
      env: { PATH: process.env.PATH, HOME: home, PIXGRAPH_LISTEN: '127.0.0.1:0', PIXGRAPH_ADMIN_LISTEN: '127.0.0.1:0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    this.#ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    this.#ended.catch(() => {}); // #serving and stop also wait for it
    child.stderr.setEncoding('utf8').on('data', (text) => this.#read(text));
    process.once('exit', () => child.kill('SIGKILL')); // a test file that ends early leaves no gateway running
    try {
      await this.#serving();
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  #read(text) {
    this.#stderr += text;
    this.#output();
  }

  /** Resolves when the log has the gateway's addresses. */
  async #serving() {
    const ready = new Promise((resolve) => {
      this.#output = () => {
        const serving = this.#parse();
        if (serving) resolve(serving);
      };
    });
    const ended = this.#ended.then(({ code, signal }) => {
      throw new Error(`the gateway ended with ${signal ?? code}:\n${this.#stderr}`);
    });
    const { sandbox } = await within(startTimeout, Promise.race([ready, ended]), () => `the gateway does not start:\n${this.#stderr}`);
    if (!sandbox) return;
    await this.#callSandbox('DELETE', 'step'); // two reads of a payment get the same, however much time is between them
    this.token = (await (await this.#callSandbox('GET', 'token')).text()).trim();
  }

  #parse() {
    const serving = this.log().find((line) => line.msg === 'serving');
    if (!serving) return undefined;
    this.#output = () => {}; // only log() needs further output
    const origin = `${serving.tls ? 'https' : 'http'}://${serving.address}`;
    this.url = `${origin}/graphql`;
    this.schemaURL = `${origin}/schema.graphql`;
    this.consoleURL = `${origin}/`;
    this.sandboxURL = `${origin}/sandbox/`;
    this.issuerURL = `${this.sandboxURL}issuer`;
    this.coreURL = serving.settings.core_url;
    this.dispatcherURL = serving.settings.dispatcher_url;
    this.adminURL = `http://${serving.admin}`;
    return serving;
  }

  /** The headers of a request with the token. */
  get headers() {
    return { authorization: `Bearer ${this.token}` };
  }

  /** The flags of another gateway over the same APIs, with the settings that the README requires for real ones. */
  get settingsOfAPIs() {
    const { settings } = this.log().find((line) => line.msg === 'serving');
    return [
      `--core-url=${this.coreURL}`, `--dispatcher-url=${this.dispatcherURL}`, `--auth-issuer=${this.issuerURL}`,
      `--auth-audience=${settings.auth_audience}`,
    ];
  }

  /** The lines of the log so far, parsed. */
  log() {
    const whole = this.#stderr.slice(0, this.#stderr.lastIndexOf('\n') + 1);
    return whole.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  }

  /**
   * The newest transactions of the sandbox. The APIs list deposits, but not transactions; the newest deposits are
   * transactions with the same ids.
   *
   * @param {number} n up to 20
   * @returns {Promise<{ id: string, amount: number }[]>}
   */
  async transactions(n) {
    const { data: { deposits } } = await this.query('query ($n: Int!) { deposits(first: $n) { nodes { id } } }', { n });
    const ids = deposits.nodes.map(({ id }) => id);
    const { data, errors } = await this.query('query ($ids: [ID!]!) { transactions(ids: $ids) { id amount } }', { ids });
    assert.equal(errors, undefined);
    return data.transactions;
  }

  /** The response to an operation, for any HTTP client. */
  async query(query, variables) {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { ...this.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    return response.json();
  }

  /**
   * Makes calls to the REST APIs fail, until `heal`; the members are those of the sandbox's Fault.
   *
   * @param {object} fault such as { route: 'transaction', status: 503 }
   */
  async fault(fault) {
    await this.#callSandbox('POST', 'faults', fault);
  }

  /** Ends all faults. */
  async heal() {
    await this.#callSandbox('DELETE', 'faults');
  }

  /**
   * Moves the sandbox's open payments to their next status: from PENDING to PIX_QRCODE_GENERATED, to PAID, and to
   * PENDING again.
   */
  async step() {
    await this.#callSandbox('POST', 'step');
  }

  /** A transaction as the API returns it. */
  async record(id) {
    const response = await fetch(`${this.coreURL}/transaction/${id}`, { headers: this.headers });
    assert.equal(response.status, 200);
    return response.json();
  }

  /** Gives a transaction, with its deposit, or a withdrawal another status. An open payment then moves no more. */
  async setStatus(id, status) {
    await this.#callSandbox('POST', `records/${id}?status=${status}`);
  }

  /** The ids of instructive records; openTransaction is one that `step` moves. */
  async samples() {
    return (await this.#callSandbox('GET', 'samples')).json();
  }

  /** A token of the sandbox, such as `{ ttl: 5 }` for five seconds; a negative `ttl` is that of an expired one. */
  async mint(parameters = {}) {
    return (await (await this.#callSandbox('GET', `token?${new URLSearchParams(parameters)}`)).text()).trim();
  }

  /**
   * The calls made to the REST APIs since the last forgetCalls, each as 'core /path?query'.
   *
   * @param {string} [token] only the calls with this token
   */
  async calls(token) {
    const { calls } = await (await this.#callSandbox('GET', 'calls')).json();
    const digest = token && createHash('sha256').update(token).digest('hex');
    return calls.filter(({ bearerSHA256 }) => !token || bearerSHA256 === digest)
      .map(({ service, path, query }) => `${service} ${path}${query && `?${query}`}`);
  }

  /** The values of a metric with labels, such as { 'protocol="sse"': 2 }. */
  async metric(name) {
    const text = await (await fetch(`${this.adminURL}/metrics`)).text();
    const samples = text.matchAll(new RegExp(`^${name}\\{(.*)\\} (.*)$`, 'gm'));
    return Object.fromEntries([...samples].map(([, labels, value]) => [labels, Number(value)]));
  }

  async forgetCalls() {
    await this.#callSandbox('DELETE', 'calls');
  }

  async #callSandbox(method, route, body) {
    const response = await fetch(new URL(route, this.sandboxURL), { method, body: body && JSON.stringify(body) });
    assert.ok(response.ok, `the sandbox responded with ${response.status} to ${method} ${route}`);
    return response;
  }

  /** Stops the gateway as an operator would, and fails unless it drains and ends without errors. */
  async stop() {
    if (!this.#child) return; // it was not started
    this.#child.kill('SIGTERM');
    const { code, signal } = await within(stopTimeout, this.#ended, () => {
      this.#child.kill('SIGKILL');
      return `the gateway does not stop:\n${this.#stderr}`;
    });
    assert.equal(signal ?? code, 0, `the gateway ended with ${signal ?? code}:\n${this.#stderr}`);
    assert.equal(this.log().at(-1).msg, 'stopped');
    const errors = this.log().filter((line) => line.level === 'ERROR').map((line) => JSON.stringify(line));
    assert.equal(errors.join('\n'), '', 'the gateway logged errors');
  }
}

/** The promise's result, or an error after the given number of milliseconds. */
async function within(milliseconds, promise, message) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(message())), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A fetch that records its requests, for tests that check the requests of a client.
 *
 * @returns {typeof fetch & { requests: { method: string, url: URL, body: any }[] }}
 */
export function recordingFetch() {
  const requests = [];
  const recording = (url, init = {}) => {
    requests.push({ method: init.method ?? 'GET', url: new URL(url), body: init.body ? JSON.parse(init.body) : undefined });
    return fetch(url, init);
  };
  return Object.assign(recording, { requests });
}
