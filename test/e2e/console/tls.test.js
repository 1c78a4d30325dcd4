// GraphiQL over HTTPS and HTTP/2: the page, signing in, a query and a stream. curl gets the same from the gateway.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { fullAccess } from './personas.js';
import { useConsole } from './suite.js';

const run = promisify(execFile);

process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; // for the calls of this process to the sandbox; curl verifies the certificate

describe('GraphiQL over HTTPS', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pixgraph-tls-'));
  const cert = join(directory, 'tls.crt');
  const key = join(directory, 'tls.key');
  before(async () => {
    await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30',
      '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out', cert]);
  });
  const { gateway, openPage } = useConsole(`--tls-cert=${cert}`, `--tls-key=${key}`);
  after(() => rmSync(directory, { recursive: true, force: true })); // after the gateway, which watches its files, has stopped

  /** The protocol of each request of a page so far, by its URL without the query. */
  const protocols = ({ page }) => page.evaluate(() => Object.fromEntries(
    performance.getEntries().filter((entry) => entry.nextHopProtocol).map((entry) => [entry.name.split('?')[0], entry.nextHopProtocol]),
  ));

  test('runs queries and streams over HTTP/2', async () => {
    const page = await openPage({ ignoreHTTPSErrors: true });
    await page.signIn(fullAccess);
    await page.write('{ deposits(first: 3) { nodes { id } } }');
    const { data, errors } = await page.run();
    assert.equal(errors, undefined);
    assert.equal(data.deposits.nodes.length, 3);

    const { openTransaction } = await gateway.samples();
    await page.write(`subscription { transaction(id: "${openTransaction}", until: [PAID]) { id status } }`);
    await page.subscribe();
    await gateway.setStatus(openTransaction, 'PAID');
    await page.streamState.getByText(/^Ended: a status of “until” was reached · \d+ events?$/).waitFor();

    const used = await protocols(page);
    assert.equal(used[gateway.url], 'h2');
    assert.ok(Object.keys(used).length > 10, `only ${Object.keys(used).length} requests`);
    assert.deepEqual(Object.entries(used).filter(([, protocol]) => protocol !== 'h2'), []);
  });

  test('is a gateway for curl, with HTTP/2, HTTP/1.1 and a stream', async () => {
    const common = ['-sS', '--max-time', '170', '--cacert', cert, '-H', `Authorization: Bearer ${gateway.token}`];
    const curl = async (...args) => (await run('curl', [...common, ...args])).stdout;
    const query = ['-w', ' %{http_version} %{http_code}', '-G', '--data-urlencode', 'query={ deposits { totalCount } }', gateway.url];
    assert.match(await curl('--http2', ...query), /^\{"data":\{"deposits":\{"totalCount":\d+\}\}\} 2 200$/);
    assert.match(await curl('--http1.1', ...query), /^\{"data":\{"deposits":\{"totalCount":\d+\}\}\} 1\.1 200$/);
    const { openTransaction } = await gateway.samples();
    await gateway.setStatus(openTransaction, 'PAID');
    const stream = await curl('--http2', '-N', '-H', 'Accept: text/event-stream', '-w', '%{http_version}', '-G',
      '--data-urlencode', `query=subscription { transaction(id: "${openTransaction}", until: [PAID]) { status } }`, gateway.url);
    assert.match(stream, /event: next\ndata: \{"data":\{"transaction":\{"status":"PAID"\}\}.*"reason":"REACHED".*\n\nevent: complete\ndata:\n\n2$/s);
  });
});
