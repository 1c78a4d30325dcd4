// What graphql-ws does with listeners of applications. test/e2e/websocket.test.js has the connections of a gateway.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newClient } from 'pixgraph-client/ws';
import { settle } from './network.js';

test('a listener that throws ends its own subscription only', async () => {
  let socket;
  class FakeSocket {
    static CONNECTING = 0;
    static OPEN = 1;
    static CLOSING = 2;
    static CLOSED = 3;
    readyState = 1;
    ids = [];

    constructor() {
      socket = this;
      setImmediate(() => this.onopen());
    }

    send(text) {
      const { type, id } = JSON.parse(text);
      if (type === 'connection_init') this.receive({ type: 'connection_ack' });
      if (type === 'subscribe') this.ids.push(id);
    }

    receive = (message) => this.onmessage({ data: JSON.stringify(message) });

    close(code, reason) {
      this.readyState = 3;
      this.onclose({ code, reason, wasClean: true });
    }
  }
  const client = newClient('ws://localhost/graphql', async () => 'a', { webSocketImpl: FakeSocket, keepAlive: 0 });
  const [errors, seen] = [[], []];
  const next = [({ data }) => data.a.b.c, (result) => seen.push(result)];
  const cancels = next.map((listener, i) => client.subscribe({ query: 'subscription' }, {
    next: listener, error: (error) => errors.push([i, error.name]), complete() {},
  }));
  for (let i = 0; i < 5; i++) await settle();
  const event = { data: { a: { b: null } }, extensions: { live: { final: false } } };
  for (const id of [...socket.ids, ...socket.ids]) {
    socket.receive({ type: 'next', id, payload: event });
    await settle();
  }
  assert.deepEqual([errors, seen], [[[0, 'TypeError']], [event, event]]);
  for (const cancel of cancels) cancel();
  await settle();
});
