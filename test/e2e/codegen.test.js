// graphql-codegen's own command line and the TypeScript compiler, over the operations in operations/: the example for a
// front end. The test generates code for the gateway's schema, compiles it, and runs it.

import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { withToken } from 'pixgraph-client';
import { persistedDocuments, resumingLink } from 'pixgraph-client/apollo';
import { errorCodes } from 'pixgraph-client/errors';
import { recordingFetch } from './gateway.js';
import { run } from './run.js';
import { useGateway } from './suite.js';

const here = new URL('.', import.meta.url);
const generated = new URL('operations/gql/', here);

describe('graphql-codegen', () => {
  const gateway = useGateway();

  /** The files that the command line writes, by name. Without a token it reads /schema.graphql. */
  async function generate(token) {
    await rm(generated, { recursive: true, force: true });
    run('graphql-codegen', ['--config', 'codegen.ts'], { GATEWAY: new URL(gateway.url).origin, ...token && { TOKEN: token } });
    const names = await readdir(generated);
    return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, generated), 'utf8')])));
  }

  test('generates the same code from introspection and from /schema.graphql', async () => {
    const introspected = await generate(gateway.token);
    assert.deepEqual(Object.keys(introspected).sort(), [
      'fragment-masking.ts', 'gql.ts', 'graphql.ts', 'index.ts', 'persisted-documents.json',
    ]);
    assert.match(introspected['graphql.ts'], /DashboardDocument/);
    assert.deepEqual(await generate(), introspected);
  });

  test('generates no type of the error codes, which pixgraph-client has', async () => {
    const { data: { __type: { enumValues } } } = await gateway.query('{ __type(name: "ErrorCode") { enumValues { name } } }');
    const { 'graphql.ts': types } = await generate();
    assert.doesNotMatch(types, /ErrorCode/);
    assert.deepEqual(enumValues.map(({ name }) => name), [...errorCodes]);
  });

  describe('of the operations', () => {
    let client;
    let operations; // the modules of operations/, compiled
    before(async () => {
      await generate();
      operations = await compile();
      client = operations.client.newClient(gateway.url, () => gateway.token);
    });

    /**
     * Compiles operations/ like `tsc -p .`, with tsconfig.json; the compiler must find exactly the errors that are
     * expected there.
     */
    async function compile() {
      const out = new URL('out/js/', here);
      await rm(out, { recursive: true, force: true });
      run('tsc', ['-p', '.']);
      const modules = ['client', 'dashboard', 'deposits', 'gql/graphql', 'summary', 'transaction'].map(async (name) =>
        [name, await import(new URL(`${name}.js`, out))]);
      return Object.fromEntries(await Promise.all(modules));
    }

    test('loads the dashboard', async () => {
      const dashboard = await operations.dashboard.loadDashboard(client, 3);
      const { deposits, withdrawals, openDeposits, heldWithdrawals, problems } = dashboard;
      assert.deepEqual([deposits.length, withdrawals.length], [3, 3]);
      for (const row of deposits) assert.match(row, /^R\$\s[\d.]+,\d\d from .+: [A-Z_]+$/);
      for (const row of withdrawals) assert.match(row, /^R\$\s[\d.]+,\d\d to .+$/);
      assert.ok(openDeposits > 0);
      assert.ok(heldWithdrawals > 0);
      assert.deepEqual(problems, {});
    });

    test('loads a partial dashboard', async () => {
      await gateway.fault({ route: 'withdrawal', status: 500 });
      const { deposits, withdrawals, heldWithdrawals, problems } = await operations.dashboard.loadDashboard(client, 2);
      assert.equal(deposits.length, 2);
      assert.deepEqual([withdrawals, heldWithdrawals], [undefined, undefined]);
      assert.deepEqual(problems, { withdrawals: 'UPSTREAM_ERROR', heldWithdrawals: 'UPSTREAM_ERROR' });
    });

    test('reads all pages of a filtered list', async () => {
      const filter = { status: ['BLOCKED', 'INFRACTION'] };
      const seen = new Set();
      let total;
      for await (const page of operations.deposits.depositPages(client, 50, filter)) {
        total = page.totalCount;
        for (const { id, status } of page.nodes) {
          assert.ok(filter.status.includes(status));
          seen.add(id);
        }
      }
      assert.ok(total > 50, 'more than one page');
      assert.equal(seen.size, total);
    });

    test('sums a filtered list by day', async () => {
      const filter = { status: ['BLOCKED', 'INFRACTION'] };
      const day = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo' }); // 2026-01-31
      const { data: { deposits } } = await gateway.query('query($filter: DepositFilter) { deposits(filter: $filter) { totalCount } }', { filter });
      const wanted = new Map();
      let all = 0n;
      let count = 0;
      for (let page = 1; count < deposits.totalCount; page++) {
        const { data } = await gateway.query(
          'query($filter: DepositFilter, $page: Int) { deposits(filter: $filter, perPage: 100, page: $page) { nodes { createdAt amount } } }',
          { filter, page });
        for (const { createdAt, amount } of data.deposits.nodes) {
          const key = day.format(new Date(createdAt));
          const { count: n = 0, cents = 0n } = wanted.get(key) ?? {};
          wanted.set(key, { day: key, count: n + 1, cents: cents + BigInt(amount) });
          all += BigInt(amount);
          count++;
        }
      }
      assert.ok(count > 100, 'more than one page');
      assert.deepEqual(await operations.summary.sumDeposits(client, filter), {
        cents: all, days: [...wanted.values()].sort((a, b) => a.day < b.day ? -1 : 1), missing: null,
      });
    });

    test('does not sum in silence if a page fails', async () => {
      await gateway.fault({ route: 'deposit', status: 403, after: 1, times: 1 });
      await assert.rejects(operations.summary.sumDeposits(client), ({ response }) => {
        assert.equal(response.errors[0].extensions.code, 'FORBIDDEN');
        const { complete, reason } = response.data.depositSummary;
        assert.deepEqual([complete, reason], [false, 'PAGE_FAILED']);
        return true;
      });
    });

    test('loads a transaction with its notifications', async () => {
      const some = await gateway.transactions(6);
      const loaded = await Promise.all(some.map(({ id }) => operations.transaction.loadTransaction(client, id)));
      assert.deepEqual(loaded.map(({ id, amount }) => ({ id, amount })), some);
      const notified = loaded.find(({ notifications }) => notifications.nodes.length > 0);
      assert.ok(notified.notifications.links.every(({ state }) => state === 'VERIFIED'));
      const lines = operations.transaction.describeNotifications(notified);
      assert.equal(lines.length, notified.notifications.nodes.length);
      assert.match(lines[0], /^[A-Z]+ to https:\/\/\S+: (\d{3} in [\d.]+ ms|never tried)$/);
      assert.match(operations.transaction.describePayment(notified), /^R\$\s[\d.]+,\d\d( of R\$\s[\d.]+,\d\d)?$/);
    });

    test('throws for an unknown transaction', async () => {
      const id = '00000000-0000-4000-8000-000000000000';
      await assert.rejects(operations.transaction.loadTransaction(client, id), (error) => {
        assert.equal(error.response.errors[0].extensions.code, 'NOT_FOUND');
        return true;
      });
    });

    // The manifest of the operations was generated with them, and each document has its hash: a gateway with that manifest
    // runs only these operations, and clients send hashes.
    describe('as trusted documents', () => {
      const documents = () => operations['gql/graphql'];
      const manifest = fileURLToPath(new URL('persisted-documents.json', generated));
      const trusting = useGateway(`--persisted-manifest=${manifest}`, '--persisted-only=on');

      test('Apollo Client sends hashes, and keeps records by type', async () => {
        const fetch = recordingFetch();
        const http = new HttpLink({ uri: trusting.url, headers: trusting.headers, fetch });
        const client = new ApolloClient({ link: ApolloLink.from([persistedDocuments(), http]), cache: new InMemoryCache() });
        const { data } = await client.query({ query: documents().DepositPageDocument, variables: { first: 3 } });
        assert.equal(data.deposits.nodes.length, 3);
        assert.equal(Object.keys(client.cache.extract()).filter((key) => key.startsWith('Deposit:')).length, 3);

        await assert.rejects(client.query({ query: { ...gql`{ deposits { totalCount } }`, __meta__: { hash: 'f'.repeat(64) } } }),
          ({ errors }) => errors[0].extensions.code === 'DOCUMENT_NOT_TRUSTED');
        assert.deepEqual(fetch.requests.map(({ body }) => body.query), [undefined, undefined], 'no text was sent');
      });

      test('Apollo Client subscribes by a hash, and comes back by it', async () => {
        const fetch = recordingFetch();
        const tokens = await Promise.all([trusting.mint({ subject: 'first' }), trusting.mint({ subject: 'second' })]);
        const [first] = tokens;
        const http = new HttpLink({ uri: trusting.url, fetch: withToken(async () => tokens.shift(), fetch) });
        const link = ApolloLink.from([persistedDocuments(), resumingLink(), http]);
        const client = new ApolloClient({ link, cache: new InMemoryCache() });
        const { openTransaction: id } = await trusting.samples();
        await trusting.setStatus(id, 'PENDING');
        const statuses = [];
        await new Promise((complete, reject) => {
          client.subscribe({ query: documents().PaymentDocument, variables: { id, until: ['PAID'] } }).subscribe({
            async next({ data, error }) {
              if (error) return reject(error);
              statuses.push(data.transaction.status);
              if (statuses.length === 1) await trusting.fault({ token: first, route: 'transaction', status: 401 });
              if (statuses.length === 2) await trusting.setStatus(id, 'PAID');
            },
            complete,
          });
        });
        assert.deepEqual(statuses, ['PENDING', 'PENDING', 'PAID']);
        assert.deepEqual(fetch.requests.map(({ body }) => [body.query, typeof body.variables.since]), [[undefined, 'undefined'], [undefined, 'string']]);
      });

      test('urql sends hashes', async () => {
        const fetch = recordingFetch();
        const generateHash = async (_, document) => document.__meta__?.hash;
        const urql = new Client({
          url: trusting.url,
          exchanges: [persistedExchange({ enforcePersistedQueries: true, generateHash }), fetchExchange],
          fetchOptions: () => ({ headers: trusting.headers }),
          fetch,
        });
        const dashboard = await urql.query(documents().DashboardDocument, { rows: 2 });
        assert.equal(dashboard.error, undefined);
        assert.equal(dashboard.data.withdrawals.nodes.length, 2);
        assert.deepEqual(fetch.requests.map(({ method, url }) => [method, url.searchParams.has('query')]), [['GET', false]]);

        const other = await urql.query('{ deposits(first: 1) { totalCount } }', {});
        assert.deepEqual(other.error.graphQLErrors.map(({ extensions }) => extensions.code), ['DOCUMENT_NOT_TRUSTED']);
      });
    });
  });
});
