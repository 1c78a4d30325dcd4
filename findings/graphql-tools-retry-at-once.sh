#!/bin/sh
# @graphql-tools/executor-http 3.4.1 with `retry: 3` sends its attempts with no time between them, also after a 503 whose
# Retry-After names a second. Retries add to an overload instead of waiting for its end.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-fund --no-audit --prefix . graphql@16.15.0 @graphql-tools/executor-http@3.4.1
cat > run.mjs <<'JS'
import { createServer } from 'node:http';
import { parse } from 'graphql';
import { buildHTTPExecutor } from '@graphql-tools/executor-http';

const at = [];
const server = createServer((request, response) => {
  at.push(performance.now());
  response.writeHead(503, { 'retry-after': '1', 'content-type': 'application/json' }).end('{"errors":[{"message":"overloaded"}]}');
}).listen(0, '127.0.0.1', async () => {
  const execute = buildHTTPExecutor({ endpoint: `http://127.0.0.1:${server.address().port}`, retry: 3 });
  await execute({ document: parse('{ a }') });
  server.close();
  const took = at.at(-1) - at[0];
  console.log(`${at.length} attempts within ${took.toFixed(0)} ms`);
  if (at.length < 3 || took > 900) throw new Error('it waits, or does not retry');
});
JS
node run.mjs
