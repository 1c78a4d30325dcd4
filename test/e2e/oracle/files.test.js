// Files of lists compared with graphql-js: a short form of files.js.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { compareFiles } from './files.js';
import { seed } from './seed.js';
import { startWorld } from './world.js';

const documents = 60;

let world;
before(async () => {
  world = await startWorld(4, { seed });
});
after(() => world?.stop());

test('files of generated selections have the data of graphql-js', async (t) => {
  t.diagnostic(`node test/e2e/oracle/files.js --documents ${documents} --seed ${seed}`);
  const { differences, ...counts } = await compareFiles(world, seed, documents);
  t.diagnostic(JSON.stringify(counts));
  assert.deepEqual(differences, []);
  assert.ok(counts.files > documents / 4 && counts.unreadable > 0, 'too few comparisons');
  await world.idle();
});
