// What graphql-ws does with the errors of applications. test/e2e/websocket.test.js has the connections of a gateway.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newClient } from 'pixgraph-client/ws';
import { settle } from './network.js';

let socket;

/** A connection that accepts each subscription. */
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

/** Subscribes, once for each listener. */
async function subscribe(variables, ...listeners) {
  const client = newClient('ws://localhost/graphql', async () => 'a', { webSocketImpl: FakeSocket, keepAlive: 0 });
  const errors = [];
  const cancels = listeners.map((next, i) => client.subscribe({ query: 'subscription', variables }, {
    next, error: ({ message }) => errors.push([i, message]), complete() {},
  }));
  for (let i = 0; i < 5; i++) await settle();
  return { errors, cancel: () => cancels.forEach((cancel) => cancel()) };
}

test('a listener that throws ends its own subscription only', async () => {
  const seen = [];
  const { errors, cancel } = await subscribe({}, () => { throw new TypeError('mistake'); }, (result) => seen.push(result));
  const event = { data: { a: null }, extensions: { live: { final: false } } };
  for (const id of [...socket.ids, ...socket.ids]) {
    socket.receive({ type: 'next', id, payload: event });
    await settle();
  }
  assert.deepEqual([errors, seen], [[[0, 'mistake']], [event, event]]);
  cancel();
  await settle();
});

test('a variable that JSON lacks ends the subscription at once', async () => {
  let tries = 0;
  const variable = { toJSON: () => (++tries > 5 ? '' : 1n) }; // such as a BigInt; without an end, a loop would never leave
  const { errors } = await subscribe({ variable }, () => {});
  assert.equal(tries, 1);
  assert.match(errors.join(), /BigInt/);
});
