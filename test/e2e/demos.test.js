// The demo applications of pixgraph-client, built by Vite, in Chromium, on pages of another origin than the gateway's. The page in
// browser/ uses those parts of the package that no application has.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { formatBRL } from 'pixgraph-client/money';
import { launchBrowser } from './console/browser.js';
import { Gateway } from './gateway.js';

const execute = promisify(execFile);
const project = fileURLToPath(new URL('../../clients/js/', import.meta.url));
const out = new URL('out/demos/', import.meta.url);
const types = { '.html': 'text/html', '.js': 'text/javascript' };
// Much longer than a page takes on a busy machine.
const patience = 180_000;
const applications = ['apollo', 'urql', 'relay', 'tanstack'];

describe('in Chromium', { concurrency: true }, () => {
  const gateway = new Gateway();
  const tokens = {}; // by page
  const renewals = new EventEmitter();
  let deposits;
  let server;
  let browser;

  before(async () => {
    server = createServer(serve).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await gateway.start(`--cors-origins=${origin()}`);
    deposits = (await gateway.query('{ deposits(first: 10) { nodes { id amount } } }')).data.deposits.nodes;
    await build();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    server.close();
    await gateway.stop();
  });

  const origin = () => `http://127.0.0.1:${server.address().port}`;

  /** Builds the applications as their developers do, with their types checked. */
  async function build() {
    await rm(out, { recursive: true, force: true });
    const run = (program, ...args) => execute(process.execPath, [program, ...args],
      { cwd: project, env: { PATH: process.env.PATH, VITE_GATEWAY: new URL(gateway.url).origin } });
    await run('demos/schema.js');
    await Promise.all([
      run('node_modules/.bin/tsc', '-p', 'demos'),
      ...applications.map((name) => run('node_modules/.bin/vite', 'build', '--config', 'demos/vite.config.js', '--mode', name,
        '--outDir', fileURLToPath(new URL(name, out)))),
      run('node_modules/.bin/vite', 'build', fileURLToPath(new URL('browser', import.meta.url)), '--base', './', '--logLevel', 'warn',
        '--outDir', fileURLToPath(new URL('browser', out))),
    ]);
  }

  /** Serves the applications, and tokens of its own for each page. */
  async function serve(request, response) {
    const { pathname } = new URL(request.url, origin());
    const [, name, file] = /^\/(\w+)\/(.*)$/.exec(pathname);
    if (file === 'token') {
      const session = new URL(request.headers.referer).search.slice(1);
      const of = tokens[session] ??= [];
      const token = await gateway.mint({ subject: `${session} ${of.length}` });
      if (session.endsWith('forbidden')) await gateway.fault({ token, route: 'deposit', status: 403 });
      of.push(token);
      response.end(of.at(-1));
      renewals.emit('renewal');
      return;
    }
    const path = file || 'index.html';
    response.setHeader('content-type', types[extname(path)]);
    response.end(await readFile(new URL(`${name}/${path}`, out)));
  }

  /** A page of an application, which notes the errors that it shows. */
  async function open(name, session, hash = '') {
    const page = await browser.newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.addInitScript(() => {
      globalThis.alerts = [];
      new MutationObserver(() => {
        const alert = document.querySelector('[role=alert]');
        if (alert) globalThis.alerts.push(alert.textContent);
      }).observe(document, { childList: true, subtree: true, characterData: true });
    });
    await page.goto(`${origin()}/${name}/?${session}${hash}`);
    return Object.assign(page, { errors });
  }

  /** Waits until a condition of the page is true: it is a function of the page, as evaluate has it. */
  const when = (page, condition, argument) => page.waitForFunction(condition, argument, { timeout: patience });
  const shows = (page, status, reason) => when(page, ([text, why]) =>
    document.querySelector('output')?.textContent === text && document.querySelector('[data-reason]').dataset.reason === why, [status, reason]);

  applications.forEach((name, i) => {
    test(`${name}: lists deposits, and shows a payment as it changes, also after its token is revoked`, async () => {
      const page = await open(name, name);
      await when(page, () => document.querySelectorAll('li a').length >= 10);
      const rows = await page.locator('li a').evaluateAll((links) => links.map((link) => [link.hash.slice(1), link.textContent]));
      assert.deepEqual(rows, deposits.map(({ id, amount }) => [id, formatBRL(amount)]));

      const { id, amount } = deposits[i];
      await gateway.setStatus(id, 'PENDING');
      const parts = name === 'apollo' && page.waitForResponse((response) => response.headers()['content-type']?.startsWith('multipart/mixed'));
      await page.click(`a[href="#${id}"]`);
      await shows(page, 'PENDING', 'SNAPSHOT');
      if (parts) { // its webhooks are deferred
        await parts;
        await when(page, () => /^[1-9]\d* webhooks$/.test(document.querySelector('#webhooks').textContent));
      }
      const before = tokens[name].length;
      await gateway.fault({ token: tokens[name].at(-1), route: 'transaction', status: 401 });
      while (tokens[name].length === before) await once(renewals, 'renewal');
      await gateway.setStatus(id, 'PAID');
      await shows(page, 'PAID', 'REACHED');
      assert.match(await page.textContent('section'), new RegExp(`^${formatBRL(amount).replace('$', '\\$')} PAIDdoneall deposits$`));
      assert.deepEqual([await page.evaluate('alerts'), page.errors], [[], []]);
      await page.close();
    });

    test(`${name}: shows why a list or a payment is missing`, async () => {
      for (const [session, hash, code] of [['forbidden', '', 'FORBIDDEN'], ['missing', '#00000000-0000-4000-8000-000000000000', 'NOT_FOUND']]) {
        const page = await open(name, `${name}-${session}`, hash);
        await when(page, (text) => document.querySelector('[role=alert]')?.textContent === text, code);
        await page.close();
      }
    });
  });

  for (const name of ['graphql-ws', 'waitFor']) {
    test(`${name} shows a payment as it changes`, async () => {
      const { id } = deposits[applications.length + (name === 'waitFor')];
      await gateway.setStatus(id, 'PENDING');
      const page = await open('browser', name);
      const seen = page.evaluate(([name, url, id]) => globalThis.watch[name](url, id), [name, gateway.url, id]);
      await when(page, () => globalThis.seen?.length > 0);
      await gateway.setStatus(id, 'PAID');
      assert.deepEqual(await seen, ['PENDING', 'PAID']);
      assert.deepEqual(page.errors, []);
      await page.close();
    });
  }
});
