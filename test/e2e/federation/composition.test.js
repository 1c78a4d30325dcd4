// The schema of the gateway as a subgraph: composed with a second one by each composer, and read by tools that know nothing of
// federation.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { generate } from '@graphql-codegen/cli';
import { buildSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType, isSpecifiedScalarType, isUnionType, validateSchema } from 'graphql';
import { useGateway } from '../suite.js';
import { composers } from './composers.js';
import { sdl as orders } from './orders.js';

/** What clients see of a schema, without descriptions: its types with their fields, arguments and values. */
function surface(schema) {
  const types = Object.values(schema.getTypeMap()).filter(({ name, ...type }) => !name.startsWith('__') && !isSpecifiedScalarType({ name, ...type }));
  return Object.fromEntries(types.sort((a, b) => a.name < b.name ? -1 : 1).map((type) => [type.name, members(type).sort()]));
}

function members(type) {
  if (isEnumType(type)) return type.getValues().map(({ name }) => name);
  if (isUnionType(type)) return type.getTypes().map(({ name }) => name);
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return [];
  return Object.values(type.getFields()).map(({ name, args = [], type }) =>
    `${name}(${args.map((arg) => `${arg.name}: ${arg.type} = ${JSON.stringify(arg.defaultValue)}`)}): ${type}`);
}

for (const flags of [[], ['--live=off']]) {
  describe(['a subgraph', ...flags].join(' '), () => {
    const gateway = useGateway('--federation=on', ...flags);
    const schemaFile = async () => (await fetch(gateway.schemaURL)).text();

    test('_service is /schema.graphql', async () => {
      const { data } = await gateway.query('{ _service { sdl } }');
      assert.equal(data._service.sdl, await schemaFile());
    });

    test('composers agree', async () => {
      const subgraphs = [{ name: 'pix', url: gateway.url, sdl: await schemaFile() }, { name: 'orders', url: 'http://localhost/', sdl: orders }];
      const composed = Object.entries(composers).map(([name, compose]) => [name, surface(compose(subgraphs).client)]);
      const [[, first]] = composed;
      for (const [name, types] of composed) assert.deepEqual(types, first, name);
      assert.ok(first.Order.includes('transaction(): Transaction'));
      assert.ok(first.Transaction.length > 30);
      assert.ok(first.Deposit.includes('order(): Order'));
      assert.equal(first.Subscription === undefined, flags.length > 0);
      for (const name of ['_Any', '_Entity', '_Service', 'link__Import']) assert.equal(first[name], undefined);
    });

    test('tools that know nothing of federation read the schema', async () => {
      const text = await schemaFile();
      assert.deepEqual(validateSchema(buildSchema(text)), []);
      const [{ content }] = (await generate({
        schema: text,
        documents: 'query Payment($id: ID!) { transaction(id: $id) { amount } }',
        generates: { 'out/': { preset: 'client', config: { defaultScalarType: 'unknown' } } },
        silent: true,
      }, false)).filter(({ filename }) => filename.endsWith('graphql.ts'));
      assert.match(content, /PaymentQuery = /);
    });
  });
}
