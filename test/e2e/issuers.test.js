// Issuers of other programs: what the doctor says about each, and what the gateway does with tokens of unusual forms.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { issuer as openauth } from '@openauthjs/openauth';
import { MemoryStorage } from '@openauthjs/openauth/storage/memory';
import { createSubjects } from '@openauthjs/openauth/subject';
import { OAuth2Server } from 'oauth2-mock-server';
import { Provider } from 'oidc-provider';
import { Gateway, binary } from './gateway.js';

const audience = 'https://pix.example.com/';
const running = [];
after(() => running.forEach((stop) => stop()));

/** Starts a server on a free port of loopback, and returns its URL. `make` gets the URL, and returns the handler. */
async function serve(make) {
  const server = createServer((request, response) => server.handler(request, response));
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  running.push(() => { server.close(); server.closeAllConnections(); });
  const url = `http://127.0.0.1:${server.address().port}`;
  server.handler = make(url);
  return url;
}

/** The checks of the doctor, as lines, in a process of its own: the issuer may be in this one. */
function doctor(issuer, token = '', ...flags) {
  const child = spawn(binary, ['doctor', '--core-url=http://127.0.0.1:1', '--dispatcher-url=http://127.0.0.1:1', `--auth-issuer=${issuer}`,
    `--auth-audience=${audience}`, ...flags], { env: { PIXGRAPH_TOKEN: token }, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => { text += part; });
  return new Promise((resolve) => { child.on('close', () => resolve(text)); });
}

/** Starts a program of the folder issuers, and returns what it prints: its URL, and what else a client must know. */
async function startIssuer(name) {
  const cwd = fileURLToPath(new URL('issuers/', import.meta.url));
  const program = fileURLToPath(new URL(`out/${name}`, import.meta.url));
  const { status, stderr } = spawnSync('go', ['build', '-o', program, `./${name}`], { cwd, encoding: 'utf8', env: { ...process.env, GOFLAGS: '' } });
  assert.equal(status, 0, stderr);
  const child = spawn(program, { stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(() => child.kill());
  const { value } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  return value.split(' ');
}

/** What a gateway answers to a token of an issuer, and the calls that it makes of an API without records. */
async function answerOf(issuer, token, of = audience) {
  const calls = [];
  const api = await serve(() => (request, response) => {
    calls.push(request.url);
    response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  });
  const gateway = new Gateway();
  await gateway.start(`--core-url=${api}`, `--dispatcher-url=${api}`, `--auth-issuer=${issuer}`, `--auth-audience=${of}`);
  const response = await fetch(gateway.url, {
    method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ notification(id: "00000000-0000-4000-8000-000000000000") { status } }' }),
  });
  const { errors } = await response.json();
  await gateway.stop();
  return { status: response.status, code: errors[0].extensions.code, calls: calls.length };
}

// A token that is accepted leads to a call, whose record does not exist.
const accepted = { status: 200, code: 'NOT_FOUND', calls: 1 };

async function tokenOf(url, id, secret, parameters) {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...parameters });
  const response = await fetch(url, { method: 'POST', headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` }, body });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text).access_token;
}

describe('a token', { concurrency: true }, () => {
  test('of zitadel/oidc does not say its scopes: the dispatcher decides about notifications', async () => {
    const [url] = await startIssuer('zitadel');
    const token = await tokenOf(`${url}/oauth/token`, 'sid1', 'verysecret', { scope: 'openid get_dispatcher' });
    assert.deepEqual(await answerOf(url, token, 'sid1'), accepted);
    assert.match(await doctor(url, token, '--auth-audience=sid1'), /ok +scope get_dispatcher +the token does not say which scopes it has/);
  });

  describe('of oauth2-mock-server', { concurrency: true }, () => {
    /** An issuer with keys of one type, and a token of it that is changed before it is signed. */
    async function issue(keys, change) {
      const server = new OAuth2Server();
      for (let i = 0; i < keys; i++) await server.issuer.keys.generate('RS256');
      await server.start(0, '127.0.0.1');
      running.push(() => server.stop());
      server.service.on('beforeTokenSigning', (token) => {
        Object.assign(token.payload, { aud: audience, sub: 'a' });
        change(token);
      });
      const token = () => tokenOf(`${server.issuer.url}/token`, 'a', 'secret', { scope: 'get_dispatcher' });
      return { url: server.issuer.url, token };
    }

    test('whose scope is a number is accepted without that claim, which the doctor names', async () => {
      const { url, token } = await issue(1, ({ payload }) => { payload.scope = 5; });
      const given = await token();
      assert.deepEqual(await answerOf(url, given), accepted);
      assert.match(await doctor(url, given), /warn +token .*scope is a number, which is left out/);
    });

    test('whose permissions are objects is accepted without that claim, which the doctor names', async () => {
      const { url, token } = await issue(1, ({ payload }) => {
        delete payload.scope;
        payload.permissions = [{ id: 1 }];
      });
      const given = await token();
      assert.deepEqual(await answerOf(url, given), accepted);
      assert.match(await doctor(url, given), /warn +token .*permissions is a list with an object, which is left out/);
    });

    test('without a key id is verified with the one of two keys that fits', async () => {
      const { url, token } = await issue(2, ({ header }) => { delete header.kid; });
      for (const given of [await token(), await token()]) assert.deepEqual(await answerOf(url, given), accepted); // one of each key
    });
  });
});

describe('the doctor', () => {
  test('says that openauth has metadata of OAuth only', async () => {
    const app = openauth({ subjects: createSubjects({}), storage: MemoryStorage(), providers: {}, success: async () => new Response() });
    const url = await serve((base) => async (request, response) => {
      const answer = await app.fetch(new Request(new URL(request.url, base), { headers: { host: request.headers.host } }));
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    });
    assert.match(await doctor(url), /FAIL +issuer .*metadata of OAuth only \(RFC 8414\)/);
  });

  test('says that mockoidc does not let the page read its configuration, and accepts its token', async () => {
    const [url, client, secret] = await startIssuer('mockoidc');
    const parameters = new URLSearchParams({ scope: 'openid', state: 's', client_id: client, response_type: 'code', redirect_uri: 'http://127.0.0.1/' });
    const { headers } = await fetch(`${url}/authorize?${parameters}`, { redirect: 'manual' });
    const code = new URL(headers.get('location')).searchParams.get('code');
    const body = new URLSearchParams({ grant_type: 'authorization_code', client_id: client, client_secret: secret, code });
    const { access_token: token } = await (await fetch(`${url}/token`, { method: 'POST', body })).json();
    const report = await doctor(url, token, `--auth-audience=${client}`, `--console-client-id=${client}`, '--public-url=https://pay.example.com');
    assert.match(report, /warn .*does not let pages of https:\/\/pay\.example\.com read its configuration \(CORS\)/);
    assert.match(report, /(ok|warn) +token +issuer .*audience and signature are valid/);
  });

  test('says which issuer oidc-provider names, and accepts its Ed25519', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const url = await serve((base) => new Provider(base, {
      clients: [{ client_id: 'a', client_secret: 'secret', redirect_uris: [], response_types: [], grant_types: ['client_credentials'] }],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'key', alg: 'Ed25519', use: 'sig' }] },
      clientDefaults: { id_token_signed_response_alg: 'Ed25519' },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => audience,
          getResourceServerInfo: () => ({ scope: 'get_dispatcher', audience, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'Ed25519' } } }),
        },
      },
      enabledJWA: { idTokenSigningAlgValues: ['Ed25519'] },
    }).callback());
    assert.match(await doctor(url.replace('127.0.0.1', 'localhost')), new RegExp(`FAIL +issuer .*: ${url}\\n`));
    const token = await tokenOf(`${url}/token`, 'a', 'secret', { scope: 'get_dispatcher', resource: audience });
    const report = await doctor(url, token);
    assert.match(report, /(ok|warn) +token +issuer .*audience and signature are valid.*scopes: get_dispatcher/);
  });
});
