// Events of subscriptions compared with graphql-js: a short form of events.js.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { compareEvents } from './events.js';
import { seed } from './seed.js';
import { startWorld } from './world.js';

const documents = 24;

let world;
before(async () => {
  world = await startWorld(4, { seed });
});
after(() => world?.stop());

test('events of generated selections are the responses of graphql-js', async (t) => {
  t.diagnostic(`node test/e2e/oracle/events.js --documents ${documents} --seed ${seed}`);
  const { differences, ...counts } = await compareEvents(world, seed, documents);
  t.diagnostic(JSON.stringify(counts));
  assert.deepEqual(differences, []);
  assert.ok(counts.streams > documents / 4, 'too few comparisons');
});
