#!/bin/sh
# @graphql-tools/executor-http 3.4.1 accepts responses in parts (multipart/mixed), and puts the data of a fragment that
# was deferred within a field at the root of the result, without an error. A server that sends the format v0.2 of
# incremental delivery, whose parts have ids, cannot be read with it.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-fund --no-audit --prefix . graphql@16.15.0 @graphql-tools/executor-http@3.4.1
cat > run.mjs <<'JS'
import { createServer } from 'node:http';
import { parse } from 'graphql';
import { buildHTTPExecutor } from '@graphql-tools/executor-http';

const parts = [
  { data: { payment: { status: 'PAID' } }, pending: [{ id: '0', path: ['payment'] }], hasNext: true },
  { incremental: [{ id: '0', data: { webhooks: 3 } }], completed: [{ id: '0' }], hasNext: false },
];
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'multipart/mixed; boundary="-"; incrementalSpec=v0.2');
    for (const part of parts) response.write(`\r\n---\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(part)}`);
    response.end('\r\n-----\r\n');
  });
}).listen(0, '127.0.0.1', async () => {
  const execute = buildHTTPExecutor({ endpoint: `http://127.0.0.1:${server.address().port}` });
  let last;
  for await (const result of await execute({ document: parse('{ payment { status ... @defer { webhooks } } }') })) last = structuredClone(result);
  server.close();
  console.log(JSON.stringify(last));
  const { data, errors } = last;
  if (errors || data.webhooks !== 3 || 'webhooks' in data.payment) throw new Error('the fragment is no longer at the root');
});
JS
node run.mjs
