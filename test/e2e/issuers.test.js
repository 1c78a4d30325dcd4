// Issuers of other programs: what the doctor says about each, and what the gateway does with the tokens of one without scopes.

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

async function tokenOf(url, id, secret, parameters) {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...parameters });
  const response = await fetch(url, { method: 'POST', headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` }, body });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text).access_token;
}

describe('zitadel/oidc, whose tokens do not say their scopes', () => {
  test('the dispatcher decides about notifications', async () => {
    const cwd = fileURLToPath(new URL('zitadel/', import.meta.url));
    const program = fileURLToPath(new URL('out/zitadel', import.meta.url));
    const { status, stderr } = spawnSync('go', ['build', '-o', program, '.'], { cwd, encoding: 'utf8', env: { ...process.env, GOFLAGS: '' } });
    assert.equal(status, 0, stderr);
    const child = spawn(program, { stdio: ['ignore', 'pipe', 'inherit'] });
    running.push(() => child.kill());
    const { value: url } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
    const token = await tokenOf(`${url}/oauth/token`, 'sid1', 'verysecret', { scope: 'openid get_dispatcher' });
    const asked = [];
    const api = await serve(() => (request, response) => {
      asked.push(request.url);
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    });
    const gateway = new Gateway();
    await gateway.start(`--core-url=${api}`, `--dispatcher-url=${api}`, `--auth-issuer=${url}`, '--auth-audience=sid1');
    const response = await fetch(gateway.url, {
      method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ notification(id: "00000000-0000-4000-8000-000000000000") { status } }' }),
    });
    const { errors } = await response.json();
    await gateway.stop();
    assert.equal(errors[0].extensions.code, 'NOT_FOUND');
    assert.equal(asked.length, 1);
    assert.match(await doctor(url, token, '--auth-audience=sid1'), /ok +scope get_dispatcher +the token does not say which scopes it has/);
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
    const report = await doctor(url, token, '--auth-algorithms=Ed25519');
    assert.match(report, /(ok|warn) +token +issuer .*audience and signature are valid.*scopes: get_dispatcher/);
  });
});
