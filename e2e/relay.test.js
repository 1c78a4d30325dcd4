// Relay: its compiler over the gateway's schema, its network layer and its store. The documents are in relay/.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { after, afterEach, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import relay from 'relay-runtime';
import { startGateway } from './gateway.js';

const { Environment, Network, RecordSource, Store, createOperationDescriptor, fetchQuery } = relay;

describe('Relay', () => {
  let gateway;
  let listQuery;
  let detailQuery;
  before(async () => {
    gateway = await startGateway();
    await compile();
    [listQuery, detailQuery] = await Promise.all(['DepositListQuery', 'DepositListDetailQuery'].map(artifact));
  });
  after(() => gateway.stop());
  afterEach(() => gateway.heal());

  /** Compiles the documents as `npx relay-compiler` does, by relay.config.json, with the schema that the gateway serves. */
  async function compile() {
    const out = new URL('out/relay/', import.meta.url);
    await rm(out, { recursive: true, force: true });
    await mkdir(new URL('artifacts/', out), { recursive: true });
    const schema = await fetch(gateway.schemaURL);
    assert.equal(schema.status, 200);
    await writeFile(new URL('schema.graphql', out), await schema.text());
    const compiler = fileURLToPath(import.meta.resolve('relay-compiler/cli.js'));
    execFileSync(process.execPath, [compiler, '--noWatchman'], { cwd: new URL('.', import.meta.url), stdio: 'pipe' });
  }

  async function artifact(name) {
    return (await import(`./out/relay/artifacts/${name}.graphql.js`)).default;
  }

  /** What an application gives to RelayEnvironmentProvider. */
  function newEnvironment() {
    const network = Network.create(async ({ text }, variables) => {
      const response = await fetch(gateway.url, {
        method: 'POST',
        headers: {
          accept: 'application/graphql-response+json',
          authorization: `Bearer ${gateway.token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ query: text, variables }),
      });
      return response.json();
    });
    return new Environment({ network, store: new Store(new RecordSource()) });
  }

  const ids = (connection) => connection.edges.map(({ node }) => node.id);

  test('joins the pages of a connection to one list', async () => {
    const environment = newEnvironment();
    const load = (variables) => fetchQuery(environment, listQuery, variables).toPromise();
    // What a component sees that shows the list; usePaginationFragment looks up the same and loads more in the same way.
    const shown = () => environment.lookup(createOperationDescriptor(listQuery, { first: 3 }).fragment).data.deposits;
    const cursor = () => environment.getStore().getSource()
      .get('client:root:__DepositList_deposits_connection:pageInfo');

    const first = await load({ first: 3 });
    const retained = environment.retain(createOperationDescriptor(listQuery, { first: 3 }));
    assert.equal(ids(shown()).length, 3);
    assert.ok(cursor().hasNextPage);

    await load({ first: 3, after: cursor().endCursor });
    assert.equal(ids(shown()).length, 6);
    assert.deepEqual(ids(shown()).slice(0, 3), ids(first.deposits));

    await load({ first: 4, after: cursor().endCursor });
    assert.equal(new Set(ids(shown())).size, 10, 'ten different deposits');

    // Page by page it is the list that one page of the same size gives.
    const whole = await fetchQuery(newEnvironment(), listQuery, { first: 10 }).toPromise();
    assert.deepEqual(ids(shown()), ids(whole.deposits));
    retained.dispose();
  });

  test('keeps one list for each filter', async () => {
    const environment = newEnvironment();
    const filter = { depositOrigin: ['PIX_KEY'] };
    const all = await fetchQuery(environment, listQuery, { first: 5 }).toPromise();
    const filtered = await fetchQuery(environment, listQuery, { first: 5, filter }).toPromise();
    assert.ok(filtered.deposits.totalCount < all.deposits.totalCount);
    assert.notDeepEqual(ids(filtered.deposits), ids(all.deposits));
  });

  test('hands an error to the part of the page that it belongs to', async () => {
    const [{ id, amount }] = await gateway.transactions(1);
    const good = await fetchQuery(newEnvironment(), detailQuery, { id }).toPromise();
    assert.equal(good.transaction.ok, true);
    assert.equal(good.transaction.value.amount, amount);

    await gateway.fault({ route: 'transaction', kind: 'reset' });
    const partial = await fetchQuery(newEnvironment(), detailQuery, { id }).toPromise();
    assert.equal(partial.transaction.ok, false);
    assert.deepEqual(partial.transaction.errors.map(({ extensions }) => extensions.code), ['UPSTREAM_UNAVAILABLE']);
    assert.equal(partial.deposits.ok, true);
    assert.ok(partial.deposits.value.totalCount > 0);
  });

  test('rejects a request that was refused', async () => {
    await assert.rejects(fetchQuery(newEnvironment(), detailQuery, { id: null }).toPromise(), (error) => {
      assert.equal(error.source.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
      return true;
    });
  });
});
