// The gateway compared with graphql-js, as an independent implementation of the specification: a short form of
// run.js. docs/conformance.md lists the accepted differences.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildClientSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema } from 'graphql';

import { compareAll } from './run.js';
import { seed } from './seed.js';
import { startWorld } from './world.js';

const documents = 400;

for (const federation of ['on', 'off']) {
  describe(`with federation ${federation}`, () => {
    let world;
    before(async () => {
      world = await startWorld(16, { seed, federation });
    });
    after(() => world?.stop());

    test('the responses to the corpus and generated documents equal those of graphql-js', async (t) => {
      t.diagnostic(`npm run oracle -- --documents ${documents} --seed ${seed} --federation ${federation}`);
      const report = await compareAll(world, seed, documents);
      t.diagnostic(String(report));
      assert.deepEqual(report.differences.map(({ name, text, request }) => ({ name, text, ...request })), []);
      assert.ok(report.refused > documents / 10 && report.faulty > documents / 10, `too few comparisons of one kind: ${report}`);
      await world.idle();
    });

    test('introspection describes the schema that is served', async () => {
      const { text } = await world.client.send({ query: getIntrospectionQuery({ specifiedByUrl: true, directiveIsRepeatable: true }) });
      const { data, errors } = JSON.parse(text);
      assert.equal(errors, undefined);
      const printed = (schema) => printSchema(lexicographicSortSchema(schema)).split('\n');
      const described = printed(buildClientSchema(data));
      const served = printed(world.schema);
      const line = described.findIndex((text, i) => text !== served[i]);
      assert.ok(line < 0 && described.length === served.length, `line ${line}: ${described[line]}, but served is ${served[line]}`);
    });
  });
}
