// recipes/vite.config.js: a page of Vite's dev server uses the gateway through the server's own origin.

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { createServer } from 'vite';
import { useGateway } from './suite.js';

describe("Vite's dev server", () => {
  const gateway = useGateway();
  let vite;
  before(async () => {
    process.env.GATEWAY = new URL(gateway.url).origin;
    vite = await createServer({
      configFile: fileURLToPath(new URL('recipes/vite.config.js', import.meta.url)),
      logLevel: 'error',
      optimizeDeps: { noDiscovery: true },
      server: { host: '127.0.0.1', port: 0, watch: null },
    });
    await vite.listen();
  });
  after(() => vite.close());

  test('forwards requests with their token', async () => {
    const { port } = vite.httpServer.address();
    const origin = `http://127.0.0.1:${port}`;
    const post = (headers) => fetch(`${origin}/graphql`, {
      method: 'POST',
      // As a browser sends them for a page of the dev server.
      headers: { 'content-type': 'application/json', origin, 'sec-fetch-site': 'same-origin', ...headers },
      body: JSON.stringify({ query: '{ deposits(first: 2) { nodes { id } } }' }),
    });
    const response = await post(gateway.headers);
    assert.equal(response.status, 200);
    assert.equal((await response.json()).data.deposits.nodes.length, 2);
    assert.equal((await post({})).status, 401);
  });
});
