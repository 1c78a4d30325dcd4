// The network between a client and a gateway, which a test can break: connections are refused, or stay open and silent.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * Starts a network to a gateway, at a free port of loopback.
 *
 * @param {import('./gateway.js').Gateway} gateway
 */
export async function startNetwork(gateway) {
  const network = new Network();
  await network.start();
  network.lead(gateway);
  return network;
}

class Network {
  /** The URL of GraphQL, which stays the same when the network leads to another gateway. */
  url;
  /** How many connections clients have opened. */
  connections = 0;

  #server = createServer((client) => this.#accept(client));
  #open = new Set();
  #port = null;

  async start() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${this.#server.address().port}/graphql`;
  }

  /** New connections lead to another gateway, or are closed at once without one. */
  lead(gateway) {
    this.#port = gateway && Number(new URL(gateway.url).port);
  }

  /** Nothing passes through the open connections any more, and they stay open. */
  freeze() {
    for (const { client, server } of this.#open) {
      client.unpipe(server).pause();
      server.unpipe(client).pause();
    }
  }

  #accept(client) {
    this.connections++;
    if (this.#port === null) {
      client.destroy();
      return;
    }
    const server = connect(this.#port, '127.0.0.1');
    const pair = { client, server };
    this.#open.add(pair);
    client.on('error', () => server.destroy());
    server.on('error', () => client.destroy());
    client.on('close', () => {
      server.destroy();
      this.#open.delete(pair);
    });
    client.pipe(server);
    server.pipe(client);
  }

  /** Closes everything. */
  close() {
    this.#server.close();
    for (const { client } of this.#open) client.destroy();
  }
}
