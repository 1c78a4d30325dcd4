// Assistants: clients of the Model Context Protocol, over the binary.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { UnauthorizedError, discoverOAuthProtectedResourceMetadata, extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { useGateway } from './suite.js';

const publicURL = 'https://pay.example.com';

describe('assistants', () => {
  const gateway = useGateway('--mcp=on', `--public-url=${publicURL}`);
  const endpoint = () => new URL('/mcp', gateway.url);

  async function connect(token) {
    const client = new Client({ name: 'e2e', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(endpoint(), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
    return client;
  }

  test('a client lists the tools and calls them', async () => {
    const client = await connect(gateway.token);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), ['explain_webhooks', 'find_payment', 'newest_payments', 'payment_timeline', 'read_pix_code']);
    assert.ok(tools.every(({ annotations, description }) => annotations.readOnlyHint && /in centavos.*never instructions/.test(description)));
    const call = async (name, given) => {
      const { content, isError } = await client.callTool({ name, arguments: given });
      return { isError, ...JSON.parse(content[0].text) };
    };
    const { data } = await call('newest_payments', { kind: 'deposits' });
    assert.equal(data.deposits.nodes.length, 20);
    const [{ id, payer }] = data.deposits.nodes;
    assert.ok(payer.untrustedName && !('document' in payer));
    const found = await call('find_payment', { id });
    assert.equal(found.data.transaction.id, id);
    const webhooks = await call('explain_webhooks', { transactionId: id });
    assert.equal(webhooks.data.transaction.notifications.nodes[0].delivery.verdict, 'DELIVERED');
    const failed = await call('find_payment', { id: 'nothing' });
    assert.ok(failed.isError);
    assert.equal(failed.problems[0].code, 'NOT_FOUND');
    await client.close();
  });

  test('what a model with strict schemas sends for nothing is absent', async () => {
    const client = await connect(gateway.token);
    const call = async (name, given) => {
      const { content, isError } = await client.callTool({ name, arguments: given });
      assert.ok(!isError, content[0].text);
      return JSON.parse(content[0].text).data;
    };
    const { deposits: { nodes } } = await call('newest_payments', { kind: 'deposits' });
    for (const status of ['', null]) {
      const { deposits } = await call('newest_payments', { kind: 'deposits', status });
      assert.deepEqual(deposits.nodes.map(({ id }) => id), nodes.map(({ id }) => id));
    }
    const given = { transactionId: nodes[0].id };
    assert.deepEqual(await call('explain_webhooks', { ...given, notificationIds: [] }), await call('explain_webhooks', given));
    await client.close();
  });

  test('a client without a valid token learns where to sign in', async () => {
    await assert.rejects(connect('invalid'), { code: 401 });
    const refused = await fetch(endpoint(), { method: 'POST', body: '{}' });
    const { resourceMetadataUrl } = extractWWWAuthenticateParams(refused);
    assert.equal(resourceMetadataUrl.href, `${publicURL}/.well-known/oauth-protected-resource/mcp`);
    // The public URL is that of a proxy, which this test does not have.
    const metadata = await discoverOAuthProtectedResourceMetadata(endpoint(), { resourceMetadataUrl: new URL(resourceMetadataUrl.pathname, gateway.url) });
    assert.equal(metadata.resource, `${publicURL}/mcp`);
    assert.ok(metadata.authorization_servers.includes(gateway.issuerURL));
  });
});

describe('assistants over the sandbox, without a setting but mcp', () => {
  const gateway = useGateway('--mcp=on');

  /** A client of the SDK that keeps what it gets, and a person who signs in at the page of the issuer. */
  function newProvider() {
    const kept = {};
    return {
      redirectUrl: 'http://localhost:33418/callback',
      clientMetadata: { client_name: 'e2e', redirect_uris: ['http://localhost:33418/callback'], grant_types: ['authorization_code', 'refresh_token'] },
      clientInformation: () => kept.client,
      saveClientInformation: (client) => { kept.client = client; },
      tokens: () => kept.tokens,
      saveTokens: (tokens) => { kept.tokens = tokens; },
      codeVerifier: () => kept.verifier,
      saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
      async redirectToAuthorization(url) {
        const page = await fetch(url);
        assert.equal(page.status, 200);
        const body = new URLSearchParams([...url.searchParams, ['persona', 'full']]);
        const { headers } = await fetch(new URL(url.pathname, url), { method: 'POST', body, redirect: 'manual' });
        kept.code = new URL(headers.get('location')).searchParams.get('code');
      },
      kept,
    };
  }

  for (const host of ['127.0.0.1', 'localhost']) {
    test(`a client that knows only http://${host} registers, signs in and calls a tool`, async () => {
      const endpoint = new URL('/mcp', gateway.url);
      endpoint.hostname = host;
      const authProvider = newProvider();
      const connect = async () => {
        const client = new Client({ name: 'e2e', version: '1.0.0' });
        const transport = new StreamableHTTPClientTransport(endpoint, { authProvider });
        return { client, transport, connected: client.connect(transport) };
      };
      const first = await connect();
      await assert.rejects(first.connected, UnauthorizedError);
      await first.transport.finishAuth(authProvider.kept.code);
      const { client, connected } = await connect();
      await connected;
      const { isError, content } = await client.callTool({ name: 'newest_payments', arguments: { kind: 'deposits', status: null } });
      assert.ok(!isError, content[0].text);
      await client.close();
    });
  }
});

/** A browser whose user signs in at once. It is a program that gets a URL. */
const browser = `#!${process.execPath}
const url = new URL(process.argv.at(-1));
const body = new URLSearchParams([...url.searchParams, ['persona', 'full']]);
fetch(new URL(url.pathname, url), { method: 'POST', body, redirect: 'manual' }).then(({ headers }) => fetch(headers.get('location')));
`;

describe('programs that register and sign in over the sandbox', () => {
  const gateway = useGateway('--mcp=on');
  const program = (name) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));
  const endpoint = () => new URL('/mcp', gateway.url.replace('127.0.0.1', 'localhost')).href;
  let env;
  before(() => {
    const dir = mkdtempSync(join(tmpdir(), 'pixgraph-mcp-'));
    const file = join(dir, 'browser.mjs');
    writeFileSync(file, browser, { mode: 0o755 });
    env = { PATH: process.env.PATH, HOME: dir, BROWSER: file };
  });
  after(() => rmSync(env.HOME, { recursive: true, force: true }));

  const wantDeposits = (text) => assert.equal(JSON.parse(text).data.deposits.nodes.length, 20);

  test('mcp-remote', async () => {
    const client = new Client({ name: 'e2e', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [program('mcp-remote'), endpoint()], env, stderr: 'ignore' }));
    const { content } = await client.callTool({ name: 'newest_payments', arguments: { kind: 'deposits' } });
    await client.close();
    wantDeposits(content[0].text);
  });

  test('mcporter', async () => {
    const args = ['--oauth-timeout', '600000', 'call', `${endpoint()}.newest_payments`, 'kind=deposits', '--allow-http'];
    const { stdout } = await promisify(execFile)(program('mcporter'), args, { env });
    wantDeposits(stdout.slice(stdout.indexOf('{')));
  });

  test('mcp-go', async () => {
    const cwd = fileURLToPath(new URL('mcpgo/', import.meta.url));
    const { stdout } = await promisify(execFile)('go', ['run', '.', endpoint()], { cwd, env: { ...process.env, GOFLAGS: '' } });
    wantDeposits(stdout);
  });
});
