// Files that end, and files whose connection breaks, with or without a proxy that hides it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rowsOf } from 'pixgraph-client';

const last = '{"@download":{"complete":true,"records":2,"pages":1}}\n';
const encode = (text) => new TextEncoder().encode(text);

/** Reads a file in parts of some bytes. */
async function read(text, size, failure) {
  const bytes = encode(text);
  const body = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
      failure ? controller.error(failure) : controller.close();
    },
  });
  const rows = rowsOf(body);
  const decoder = new TextDecoder();
  let written = '';
  for (;;) {
    const { done, value } = await rows.next();
    if (done) return { written, end: value };
    written += decoder.decode(value, { stream: true });
  }
}

describe('rowsOf', () => {
  const rows = 'id,name\r\n1,"João\n{""@download"":1}"\r\n2,\r\n';
  for (const size of [1, 2, 7, 1000]) {
    test(`removes the last line in parts of ${size} bytes`, async () => {
      assert.deepEqual(await read(rows + last, size), { written: rows, end: { complete: true, records: 2, pages: 1 } });
    });
  }

  for (const [name, text] of [['nothing', ''], ['a row', rows], ['a part of a row', rows.slice(0, -5)], ['a part of the end', rows + last.slice(0, -9)],
    ['JSON', 'null\n']]) {
    test(`fails after ${name}`, () => assert.rejects(read(text, 9), TypeError));
  }

  test('fails with the connection', async () => {
    const broken = new TypeError('network error');
    await assert.rejects(read(rows, 9, broken), broken);
  });
});
