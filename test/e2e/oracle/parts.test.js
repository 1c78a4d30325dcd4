// Responses in parts compared with graphql-js 17: a short form of parts.js.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { compareParts } from './parts.js';
import { seed } from './seed.js';
import { startWorld } from './world.js';

const documents = 300;

let world;
before(async () => {
  world = await startWorld(16, { seed });
});
after(() => world?.stop());

test('the parts of generated documents equal those of graphql-js 17, and join to the whole response', async (t) => {
  t.diagnostic(`npm run parts -- --documents ${documents} --seed ${seed}`);
  const report = await compareParts(world, seed, documents);
  t.diagnostic(String(report));
  assert.deepEqual(report.differences, []);
  assert.ok(report.whole > documents / 10, `too few whole responses: ${report}`);
  await world.idle();
});
