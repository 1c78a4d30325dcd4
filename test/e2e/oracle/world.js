// The setup of a comparison: a sandbox, the stored responses of its APIs, a gateway over those, and the reference. Read
// startWorld first.

import { startGateway } from '../gateway.js';
import { Client } from './client.js';
import { Cursors } from './cursors.js';
import { parse } from './json.js';
import { Reference, variablesOf } from './reference.js';
import { Services } from './services.js';

// Much longer than necessary, so that only a hanging gateway exceeds it.
const idleTimeout = 60_000;

/**
 * @param {number} connections to the gateway
 * @param {{ seed?: number, federation?: 'on' | 'off' }} options the seed decides which records are invalid
 */
export async function startWorld(connections, { seed = 0, federation = 'on' } = {}) {
  const sandbox = await startGateway();
  const services = new Services(sandbox, seed);
  await services.start();
  const gateway = await startGateway(
    `--core-url=${services.coreURL}`, `--dispatcher-url=${services.dispatcherURL}`, '--auth-mode=forward',
    '--paging-page-param=page', '--paging-per-page-param=perPage', '--links-metadata-pointer=/notificationIds',
    // Failing calls are part of the comparison. Nested links are, too, and they cost much in the worst case.
    '--upstream-breaker-percent=0', '--limits-cost=20000', `--federation=${federation}`,
  );
  const sdl = await (await fetch(gateway.schemaURL)).text();
  const world = new World(sandbox, services, gateway, new Client(gateway.url, sandbox.token, connections));
  world.sdl = sdl;
  world.reference = new Reference(sdl, services, world.cursors);
  world.known = await world.findValues();
  return world;
}

class World {
  cursors = new Cursors();

  constructor(sandbox, services, gateway, client) {
    Object.assign(this, { sandbox, services, gateway, client });
  }

  get schema() {
    return this.reference.schema;
  }

  /** The two outcomes of a request, or only that of the reference. */
  async outcomes(request, { onlyReference = false } = {}) {
    let variables;
    if (request.variables !== undefined) variables = variablesOf(parse(request.variables));
    const [reference, gateway] = await Promise.all([
      // Variables that are not an object make a request malformed; graphql-js never gets such a request.
      variables === null || variables === undefined || (typeof variables === 'object' && !Array.isArray(variables))
        ? this.reference.answer({ ...request, variables: variables ?? {} })
        : { refused: [new Error('variables are not an object')], stage: 'request' },
      onlyReference ? undefined : this.client.send(request),
    ]);
    return { reference, gateway };
  }

  /** Ids of records, and cursors, for generated requests. */
  async findValues() {
    const get = async (path) => (await this.services.get(path, new URLSearchParams({ perPage: '40' }))).value.get('data');
    const ids = (records) => records.flatMap((record) => (record instanceof Map ? record.get('id') : []));
    const deposits = await get('/core/deposit');
    const transactions = ids(deposits);
    const days = new Set(deposits.flatMap((record) => /^\d{4}-\d\d-\d\d/.exec(record?.get?.('createdAt'))?.[0] ?? []));
    const withdrawals = ids(await get('/core/withdrawal'));
    const answer = await this.client.send({
      query: 'query ($ids: [ID!]!) { transactions(ids: $ids) { notifications { links { notificationId } } } }',
      variables: JSON.stringify({ ids: transactions }),
    });
    const links = answer.data.get('transactions').flatMap((one) => one?.get('notifications')?.get('links') ?? []);
    const notifications = links.map((link) => link.get('notificationId')).slice(0, 40);
    return { transactions, withdrawals, notifications, cursors: await this.#findCursors(), days: [...days] };
  }

  async #findCursors() {
    // The last two pages: a list that ends there is cut, and a list that is cut there has more records on the last page.
    const { gateway: { data: counted } } = await this.outcomes({
      query: '{ e: deposits(perPage: 3) { totalPages } f: withdrawals(perPage: 3) { totalPages } }',
    });
    const [e, f] = ['e', 'f'].map((key) => Number(counted.get(key).get('totalPages').text));
    const query = `{
      e: deposits(perPage: 3, page: ${e - 1}) { edges { cursor } } f: withdrawals(perPage: 3, page: ${f - 1}) { edges { cursor } }
      a: deposits(first: 3) { edges { cursor } } b: deposits(perPage: 2, page: 2, filter: {status: [PAID]}) { edges { cursor } }
      c: withdrawals { edges { cursor } } d: withdrawals(first: 1, filter: {minAmount: 10}) { edges { cursor } }
    }`;
    const { reference, gateway } = await this.outcomes({ query });
    const cursors = [];
    for (const [key, connection] of gateway.data) {
      connection.get('edges').forEach((edge, i) => {
        if (!this.cursors.agree(reference.data[key].edges[i].cursor, edge.get('cursor'))) throw new Error(`the cursor of ${key} ${i}`);
        cursors.push(edge.get('cursor'));
      });
    }
    return cursors;
  }

  /** Resolves when the gateway reports no requests under way: its gauges decrease after the response was sent. */
  async idle() {
    for (const end = Date.now() + idleTimeout; ; ) {
      const text = await (await fetch(`${this.gateway.adminURL}/metrics`)).text();
      const busy = text.split('\n').filter((line) => /^pixgraph_\w*in_flight\b/.test(line) && !line.endsWith(' 0'));
      if (busy.length === 0) return;
      if (Date.now() > end) throw new Error(`requests still under way: ${busy}`);
    }
  }

  async stop() {
    this.client.close();
    await this.gateway.stop();
    await this.services.stop();
    await this.sandbox.stop();
  }
}
