// Tokens of a real issuer, npm oidc-provider: bound to a key (DPoP) and to a client certificate, and after a restart with another
// key under the same id. The gateway is over a core API that only counts its calls.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate, createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Provider } from 'oidc-provider';
import WebSocket from 'ws';
import { Gateway } from './gateway.js';

const audience = 'https://pix.example.com/';

/** A server on a free port of loopback, whose handler can be replaced. */
async function listen() {
  const server = createServer((request, response) => server.handler(request, response));
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  server.url = `http://127.0.0.1:${server.address().port}`;
  return server;
}

const close = (server) => new Promise((resolve) => { server.close(resolve); server.closeAllConnections(); });

/** A new issuer at a URL, with a new key of the id "key". */
function newIssuer(url) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const client = (name, more) => ({
    client_id: name, client_secret: 'secret', redirect_uris: [], response_types: [], grant_types: ['client_credentials'], ...more,
  });
  const provider = new Provider(url, {
    clients: [client('plain'), client('key', { dpop_bound_access_tokens: true }), client('certificate', { tls_client_certificate_bound_access_tokens: true })],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'key', alg: 'ES256', use: 'sig' }] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      dPoP: { enabled: true },
      // The certificate is in a header, as from a proxy.
      mTLS: { enabled: true, certificateBoundAccessTokens: true, getCertificate: ({ headers }) => decodeURIComponent(headers['x-certificate']) },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: () => ({ scope: 'get_dispatcher', audience, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } }),
      },
    },
  });
  return provider.callback();
}

/** The proof of DPoP that a client has a key (RFC 9449, section 4). */
function proof(url) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const encode = (part) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const input = `${encode({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) })}.${
    encode({ jti: randomUUID(), htm: 'POST', htu: url, iat: Math.floor(Date.now() / 1000) })}`;
  return `${input}.${sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** Sends a request. The options may have a certificate and its key. */
function send(url, { body, ...options }) {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent: false, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => { text += part; }).on('error', reject)
        .on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on('error', reject).end(body);
  });
}

describe('tokens of oidc-provider', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pixgraph-issuer-'));
  const file = (name) => join(directory, name);
  const gateway = new Gateway();
  const certificates = {};
  let issuer;
  let core;
  let calls = 0;

  before(async () => {
    const openssl = (...args) => execFileSync('openssl', args, { stdio: 'pipe' });
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    for (const [name, usage] of [['server', 'serverAuth'], ['own', 'clientAuth'], ['other', 'clientAuth']]) {
      openssl('req', '-x509', ...key, '-days', '2', '-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1',
        '-addext', `extendedKeyUsage=${usage}`, '-keyout', file(`${name}.key`), '-out', file(`${name}.crt`));
      certificates[name] = { cert: readFileSync(file(`${name}.crt`)), key: readFileSync(file(`${name}.key`)) };
    }
    execFileSync('sh', ['-c', 'cat own.crt other.crt > clients.crt'], { cwd: directory });
    [issuer, core] = await Promise.all([listen(), listen()]);
    issuer.handler = newIssuer(issuer.url);
    core.handler = (request, response) => {
      calls++;
      response.setHeader('content-type', 'application/json');
      response.end('{"data":[],"total":0,"totalPages":0,"currentPage":1,"perPage":20}');
    };
    await gateway.start(`--core-url=${core.url}`, `--dispatcher-url=${core.url}`, `--auth-issuer=${issuer.url}`, `--auth-audience=${audience}`,
      '--public-url=https://localhost', '--mcp=on', `--tls-cert=${file('server.crt')}`, `--tls-key=${file('server.key')}`,
      `--tls-client-ca=${file('clients.crt')}`);
  });
  after(async () => {
    await gateway.stop();
    await Promise.all([close(issuer), close(core)]);
    rmSync(directory, { recursive: true, force: true });
  });

  /** A token of a client of the issuer. */
  async function tokenOf(client) {
    const url = `${issuer.url}/token`;
    const response = await send(url, {
      headers: {
        authorization: `Basic ${btoa(`${client}:secret`)}`, 'content-type': 'application/x-www-form-urlencoded',
        ...(client === 'key' && { dpop: proof(url) }), 'x-certificate': encodeURIComponent(certificates.own.cert),
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'get_dispatcher', resource: audience }).toString(),
    });
    assert.equal(response.status, 200, response.text);
    return JSON.parse(response.text).access_token;
  }

  const connection = (name) => ({ ...certificates[name], ca: certificates.server.cert });

  /** What the gateway answers to a token over each protocol: "accepted", or why not. */
  const protocols = {
    POST: (token, name, scheme = 'Bearer') => post('/graphql', '{"query":"{ deposits { totalCount } }"}', token, name, scheme),
    assistants: (token, name, scheme = 'Bearer') => post('/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', token, name, scheme),
    WebSocket: (token, name, scheme = 'Bearer') => new Promise((resolve, reject) => {
      const socket = new WebSocket(gateway.url.replace('https', 'wss'), 'graphql-transport-ws', connection(name));
      socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `${scheme} ${token}` } })))
        .on('message', () => { resolve('accepted'); socket.close(); })
        .on('close', (code, reason) => resolve(`${code} ${reason}`)).on('error', reject);
    }),
  };
  async function post(path, body, token, name, scheme) {
    const { status, headers } = await send(new URL(path, gateway.url).href, {
      ...connection(name), body,
      headers: { authorization: `${scheme} ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    });
    return status === 200 ? 'accepted' : `${status} ${headers['www-authenticate']}`;
  }

  const claims = (token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url'));

  for (const [protocol, answer] of Object.entries(protocols)) {
    test(`${protocol}: a token for DPoP is not a bearer token`, async () => {
      const token = await tokenOf('key');
      assert.ok(claims(token).cnf.jkt);
      const before = calls;
      for (const scheme of ['Bearer', 'DPoP']) assert.match(await answer(token, 'own', scheme), /40?1.*DPoP/);
      assert.equal(calls, before, 'it caused calls');
    });

    test(`${protocol}: a token of a certificate is accepted with it only`, async () => {
      const token = await tokenOf('certificate');
      const { raw } = new X509Certificate(certificates.own.cert);
      assert.equal(claims(token).cnf['x5t#S256'], createHash('sha256').update(raw).digest('base64url'));
      assert.equal(await answer(token, 'own'), 'accepted');
      const before = calls;
      assert.match(await answer(token, 'other'), /40?1.*client certificate/);
      assert.equal(calls, before, 'it caused calls');
      assert.equal(await answer(await tokenOf('plain'), 'other'), 'accepted');
    });
  }

  test('the metadata says that tokens may be bound to certificates', async () => {
    const { text } = await send(new URL('/.well-known/oauth-protected-resource/mcp', gateway.url).href, { method: 'GET', ...connection('own') });
    const { tls_client_certificate_bound_access_tokens: bound, dpop_signing_alg_values_supported: algorithms } = JSON.parse(text);
    assert.deepEqual({ bound, algorithms }, { bound: true, algorithms: undefined });
  });

  test('after a restart of the issuer with another key of the same id, its tokens are accepted, and former ones are not', async () => {
    const old = await tokenOf('plain');
    assert.equal(await protocols.POST(old, 'own'), 'accepted');
    issuer.handler = newIssuer(issuer.url);
    const token = await tokenOf('plain');
    for (;;) { // the keys were fetched less than ten seconds ago
      const answered = await protocols.POST(token, 'own');
      if (answered === 'accepted') break;
      assert.match(answered, /401.*signature invalid/);
      await pause(200);
    }
    assert.match(await protocols.POST(old, 'own'), /401.*signature invalid/);
  });
});
