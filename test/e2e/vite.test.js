// recipes/vite.config.js: a page of Vite's dev server uses the gateway through the server's own origin.

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { createServer } from 'vite';
import { startGateway } from './gateway.js';

let gateway;
let vite;
before(async () => {
  gateway = await startGateway();
  process.env.GATEWAY = new URL(gateway.url).origin;
  vite = await createServer({
    configFile: fileURLToPath(new URL('recipes/vite.config.js', import.meta.url)),
    logLevel: 'error',
    optimizeDeps: { noDiscovery: true },
    server: { host: '127.0.0.1', port: 0, watch: null },
  });
  await vite.listen();
});
after(async () => {
  await vite.close();
  await gateway.stop();
});

test('the proxy forwards requests with their token', async () => {
  const { port } = vite.httpServer.address();
  const origin = `http://127.0.0.1:${port}`;
  const post = (headers) => fetch(`${origin}/graphql`, {
    method: 'POST',
    // As a browser sends them for a page of the dev server.
    headers: { 'content-type': 'application/json', origin, 'sec-fetch-site': 'same-origin', ...headers },
    body: JSON.stringify({ query: '{ deposits(first: 2) { nodes { id } } }' }),
  });
  const response = await post({ authorization: `Bearer ${gateway.token}` });
  assert.equal(response.status, 200);
  assert.equal((await response.json()).data.deposits.nodes.length, 2);
  assert.equal((await post({})).status, 401);
});
