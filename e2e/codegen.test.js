// graphql-codegen's client preset and the TypeScript compiler, over the operations in operations/: the example for a front
// end. The test generates code for the gateway's schema, compiles it, and runs it.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { after, afterEach, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { buildClientSchema, buildSchema, getIntrospectionQuery } from 'graphql';
import { generate, write } from './codegen.js';
import { recordingFetch, startGateway } from './gateway.js';

describe('graphql-codegen', () => {
  let gateway;
  before(async () => { gateway = await startGateway(); });
  after(() => gateway.stop());
  afterEach(() => gateway.heal());

  /** The schema from introspection. */
  async function introspected(options) {
    const { data, errors } = await gateway.query(getIntrospectionQuery(options));
    assert.equal(errors, undefined);
    return buildClientSchema(data);
  }

  /** The downloaded schema. */
  async function downloaded() {
    const response = await fetch(gateway.schemaURL);
    assert.equal(response.status, 200);
    return buildSchema(await response.text());
  }

  test('generates the same code for the introspected and the downloaded schema', async () => {
    const fromDownload = await generate(await downloaded());
    assert.deepEqual([...fromDownload.keys()].sort(), [
      'fragment-masking.ts', 'gql.ts', 'graphql.ts', 'index.ts', 'persisted-documents.json',
    ]);
    assert.match(fromDownload.get('graphql.ts'), /DashboardDocument/);
    const everything = {
      descriptions: true,
      directiveIsRepeatable: true,
      inputValueDeprecation: true,
      schemaDescription: true,
      specifiedByUrl: true,
    };
    for (const options of [undefined, everything]) {
      const fromIntrospection = await generate(await introspected(options));
      assert.deepEqual(fromIntrospection, fromDownload);
    }
  });

  describe('of the operations', () => {
    let client;
    let operations; // the modules of operations/, compiled
    before(async () => {
      await write(await generate(await introspected()));
      operations = await compile();
      client = operations.client.newClient(gateway.url, () => gateway.token);
    });

    /**
     * Compiles operations/ like `tsc -p .`, with tsconfig.json; the compiler must find exactly the errors that are
     * expected there.
     */
    async function compile() {
      const out = new URL('out/js/', import.meta.url);
      await rm(out, { recursive: true, force: true });
      const tsc = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));
      try {
        execFileSync(process.execPath, [tsc, '-p', '.'], { cwd: new URL('.', import.meta.url), encoding: 'utf8' });
      } catch (error) {
        assert.fail(`the operations do not compile:\n${error.stdout}`);
      }
      const modules = ['client', 'dashboard', 'deposits', 'gql/graphql', 'transaction'].map(async (name) =>
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
    // runs only these operations. Here urql sends the hashes.
    test('runs with trusted documents', async () => {
      const manifest = fileURLToPath(new URL('operations/gql/persisted-documents.json', import.meta.url));
      const trusting = await startGateway(`--persisted-manifest=${manifest}`, '--persisted-only=on');
      try {
        const fetch = recordingFetch();
        const generateHash = async (_, document) => document.__meta__?.hash;
        const urql = new Client({
          url: trusting.url,
          exchanges: [persistedExchange({ enforcePersistedQueries: true, generateHash }), fetchExchange],
          fetchOptions: () => ({ headers: { authorization: `Bearer ${trusting.token}` } }),
          fetch,
        });
        const { DashboardDocument, DepositPageDocument } = operations['gql/graphql'];
        const dashboard = await urql.query(DashboardDocument, { rows: 2 });
        assert.equal(dashboard.error, undefined);
        assert.equal(dashboard.data.withdrawals.nodes.length, 2);
        const page = await urql.query(DepositPageDocument, { first: 3 });
        assert.equal(page.data.deposits.nodes.length, 3);
        assert.deepEqual(fetch.requests.map(({ method, url }) => [method, url.searchParams.has('query')]),
          [['GET', false], ['GET', false]]);

        const other = await urql.query('{ deposits(first: 1) { totalCount } }', {});
        assert.deepEqual(other.error.graphQLErrors.map(({ extensions }) => extensions.code), ['DOCUMENT_NOT_TRUSTED']);
      } finally {
        await trusting.stop();
      }
    });
  });
});
