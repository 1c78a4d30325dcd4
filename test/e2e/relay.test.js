// Relay: its compiler over the gateway's schema, its network layer and its store. The documents are in relay/.

import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { after, afterEach, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import relay from 'relay-runtime';
import { withToken } from 'pixgraph-client';
import { fetchFunction, getDataID, missingFieldHandlers, subscribeFunction } from 'pixgraph-client/relay';
import { startGateway } from './gateway.js';
import { run } from './run.js';
import { fetchOf } from './streamclients.js';
import { testStreams } from './streams.js';
import { useGateway } from './suite.js';

const { Environment, Network, RecordSource, Store, createOperationDescriptor, fetchQuery, requestSubscription } = relay;

const here = new URL('.', import.meta.url);
const out = new URL('out/relay/', here);

let gateway;
let listQuery;
let detailQuery;
let strictQuery;
let paymentQuery;
let paymentSubscription;
before(async () => {
  gateway = await startGateway();
  await compile();
  const names = ['DepositListQuery', 'DepositListDetailQuery', 'DepositListStrictQuery', 'PaymentQuery', 'PaymentSubscription'];
  [listQuery, detailQuery, strictQuery, paymentQuery, paymentSubscription] = await Promise.all(names.map(artifact));
});
after(() => gateway.stop());
afterEach(() => gateway.heal());

/** Compiles the documents like `npx relay-compiler`, with relay.config.json and the schema that the gateway serves. */
async function compile() {
  await rm(out, { recursive: true, force: true });
  await mkdir(new URL('artifacts/', out), { recursive: true });
  const schema = await fetch(gateway.schemaURL);
  assert.equal(schema.status, 200);
  await writeFile(new URL('schema.graphql', out), await schema.text());
  await writeFile(new URL('documents.json', out), '{}'); // the compiler adds to it
  run('relay-compiler', ['--noWatchman']);
}

async function artifact(name) {
  return (await import(new URL(`artifacts/${name}.graphql.js`, out))).default;
}

/** The environment for RelayEnvironmentProvider. */
function newEnvironment(fetchFunctionOf = fetchFunction, at = gateway) {
  const send = withToken(async () => at.token);
  const network = Network.create(fetchFunctionOf(at.url, send), subscribeFunction(at.url, send));
  return new Environment({ network, store: new Store(new RecordSource()), getDataID, missingFieldHandlers });
}

const ids = (connection) => connection.edges.map(({ node }) => node.id);

describe('Relay', () => {
  test('joins the pages of a connection into one list', async () => {
    const environment = newEnvironment();
    const load = (variables) => fetchQuery(environment, listQuery, variables).toPromise();
    // What a component with the list sees; usePaginationFragment reads the same data and loads more in the same way.
    const list = createOperationDescriptor(listQuery, { first: 3 });
    const shown = () => environment.lookup(list.fragment).data.deposits;
    const pageInfo = () => environment.getStore().getSource().get('client:root:__DepositList_deposits_connection:pageInfo');

    const first = await load({ first: 3 });
    const retained = environment.retain(list);
    assert.equal(ids(shown()).length, 3);
    assert.ok(pageInfo().hasNextPage);

    await load({ first: 3, after: pageInfo().endCursor });
    assert.equal(ids(shown()).length, 6);
    assert.deepEqual(ids(shown()).slice(0, 3), ids(first.deposits));

    await load({ first: 4, after: pageInfo().endCursor });
    assert.equal(new Set(ids(shown())).size, 10, 'ten different deposits');

    // The list equals one page of ten.
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
    // The first list is unchanged.
    const { data } = environment.lookup(createOperationDescriptor(listQuery, { first: 5 }).fragment);
    assert.deepEqual(ids(data.deposits), ids(all.deposits));
  });

  test('reports an error to the part of the page that it affects', async () => {
    const [{ id, amount }] = await gateway.transactions(1);
    const good = await fetchQuery(newEnvironment(), detailQuery, { id }).toPromise();
    assert.deepEqual(good.transaction, { ok: true, value: { amount } });

    await gateway.fault({ route: 'transaction', kind: 'reset' });
    const partial = await fetchQuery(newEnvironment(), detailQuery, { id }).toPromise();
    assert.equal(partial.transaction.ok, false);
    assert.deepEqual(partial.transaction.errors.map(({ extensions }) => extensions.code), ['UPSTREAM_UNAVAILABLE']);
    assert.equal(partial.deposits.ok, true);
    assert.ok(partial.deposits.value.totalCount > 0);
  });

  test('throws the error of any field with @throwOnFieldError', async () => {
    const [{ id, amount }] = await gateway.transactions(1);
    const good = await fetchQuery(newEnvironment(), strictQuery, { id }).toPromise();
    assert.equal(good.transaction.amount, amount);

    await gateway.fault({ route: 'transaction', status: 503 });
    await assert.rejects(fetchQuery(newEnvironment(), strictQuery, { id }).toPromise(), /Unexpected response payload/);
  });

  test('keeps a deposit and the transaction with the same id separate', async () => {
    const [{ id }] = await gateway.transactions(1);
    const environment = newEnvironment();
    await fetchQuery(environment, listQuery, { first: 20 }).toPromise();
    const record = (type) => environment.getStore().getSource().get(`${type}:${id}`);
    const { statusRaw } = record('Deposit');
    const events = [];
    await new Promise((onCompleted, onError) => {
      const cacheConfig = { metadata: { onLive: (live) => events.push(live) } };
      const variables = { id, until: [statusRaw] };
      requestSubscription(environment, { subscription: paymentSubscription, variables, cacheConfig, onCompleted, onError });
    });
    assert.deepEqual(events.map(({ reason, final }) => [reason, final]), [['REACHED', true]]);
    assert.deepEqual(['Deposit', 'Transaction'].map((type) => record(type).__typename), ['Deposit', 'Transaction']);
    assert.equal(record('Deposit').updatedAt, undefined, 'the deposit has no field of the transaction');

    // The transaction is in the store, so that it need not be fetched by its id.
    assert.equal(environment.check(createOperationDescriptor(paymentQuery, { id })).status, 'available');
  });

  test('rejects a refused request', async () => {
    await assert.rejects(fetchQuery(newEnvironment(), detailQuery, { id: null }).toPromise(), (error) => {
      assert.equal(error.source.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
      return true;
    });
  });
});

// The compiler also writes the documents, by id, to documents.json (persistConfig): a gateway with this file runs only
// these documents.
describe('Relay with trusted documents', () => {
  const trusting = useGateway(`--persisted-manifest=${fileURLToPath(new URL('documents.json', out))}`, '--persisted-only=on');

  /** As the compiler writes the documents without `include_query_text`. */
  const withoutText = (...args) => (params, ...rest) => fetchFunction(...args)({ ...params, text: null }, ...rest);

  test('runs documents by their ids', async () => {
    const { deposits } = await fetchQuery(newEnvironment(withoutText, trusting), listQuery, { first: 2 }).toPromise();
    assert.equal(deposits.edges.length, 2);
  });

  test('is refused for any other document', async () => {
    await trusting.forgetCalls();
    const { data, errors } = await trusting.query('{ deposits(first: 1) { totalCount } }');
    assert.equal(data, undefined);
    assert.deepEqual(errors.map(({ extensions }) => extensions.code), ['DOCUMENT_NOT_TRUSTED']);
    assert.deepEqual(await trusting.calls(), []);
  });
});

testStreams({
  Relay: {
    protocol: 'sse',
    watch({ url, variables, next, end, ...options }) {
      const subscribe = subscribeFunction(url, fetchOf(options));
      const recording = (...args) => subscribe(...args).do({ next }); // with the extensions, which onNext does not get
      const { dispose } = requestSubscription(
        new Environment({ network: Network.create(fetchFunction(url), recording), store: new Store(new RecordSource()) }),
        { subscription: paymentSubscription, variables, onCompleted: () => end(), onError: () => end() },
      );
      return dispose;
    },
  },
});
