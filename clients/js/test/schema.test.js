import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { generate, target } from '../generate.js';

test('src/schema.ts is what the schema determines', async () => {
  assert.equal(await readFile(target, 'utf8'), await generate(), 'run npm run generate');
});
