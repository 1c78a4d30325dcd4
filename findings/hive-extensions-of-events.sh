#!/bin/sh
# Hive Gateway (@graphql-hive/gateway-runtime 2.12.1) as a router drops `extensions` of the events of a subgraph's
# subscription, and passes the data on. What a client must know of an event has to be data.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat > package.json <<'JSON'
{ "type": "module",
  "dependencies": { "graphql": "16.15.0", "@graphql-hive/gateway-runtime": "2.12.1", "@graphql-mesh/transport-http": "1.2.1",
    "@theguild/federation-composition": "0.27.0" },
  "overrides": { "@whatwg-node/fetch": "0.10.13", "@whatwg-node/promise-helpers": "1.3.2", "@whatwg-node/disposablestack": "0.0.6", "sync-fetch": "0.6.0" } }
JSON
npm install --silent --no-fund --no-audit
cat > run.mjs <<'JS'
import { createServer } from 'node:http';
import { parse } from 'graphql';
import { composeServices } from '@theguild/federation-composition';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';

const event = { data: { status: 'PAID' }, extensions: { reason: 'CHANGED' } };
const subgraph = createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'text/event-stream');
    response.end(`event: next\ndata: ${JSON.stringify(event)}\n\nevent: complete\ndata:\n\n`);
  });
}).listen(0, '127.0.0.1', async () => {
  const typeDefs = parse('type Query { a: Int } type Subscription { status: String }');
  const { supergraphSdl } = composeServices([{ name: 'pix', url: `http://127.0.0.1:${subgraph.address().port}`, typeDefs }]);
  const router = createGatewayRuntime({ logging: false, supergraph: supergraphSdl });
  const response = await router.fetch('http://localhost/graphql', {
    method: 'POST', headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription { status }' }),
  });
  const text = await response.text();
  await router[Symbol.asyncDispose]();
  subgraph.close();
  console.log(text.trim());
  if (!text.includes('"status":"PAID"') || text.includes('CHANGED')) throw new Error('extensions of events arrive, or no event');
});
JS
node run.mjs
