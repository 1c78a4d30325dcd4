import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, validate } from "graphql";
import { selectedFields } from "../src/operations/fields.ts";
import { parseExact } from "../src/base/exact.ts";
import { findPreviews, maxPreviews, type Found } from "../src/preview/find.ts";
import { schema } from "./schema.ts";

const png = "data:image/png;base64,iVBORw0KGgo=";
const code = "00020101021226580014br.gov.bcb.pix5204000053039865802BR6304ABCD";

/** The previews of an answer to a query, which must be valid. */
function found(query: string, data: unknown): Found {
  assert.deepEqual(validate(schema, parse(query)).map(String), []);
  return findPreviews(data, selectedFields(schema, { query, operationName: null }));
}

const shown = ({ groups }: Found) => groups.map((group) => group.map(({ kind, path }) => `${kind} ${path}`));

for (const [name, text, is] of [
  ["that is complete", code, true],
  ["that the gateway may call wrong", code.replace("ABCD", "0000"), true],
  ["with letters beyond ASCII", `0002015909São Paulo${code.slice(6)}`, true],
  ["that is truncated", code.slice(0, -1), false],
  ["with a trailing space", `${code} `, false],
  ["that is only its prefix", "000201", false],
] as const) {
  test(`a Pix code to copy ${name}: ${is}`, () => {
    assert.deepEqual(shown(findPreviews({ a: { text } }, new Map())), is ? [["code a.text"]] : []);
  });
}

test("images and Pix codes are found without a schema, in the order of the response", () => {
  const data = { transaction: { status: "PAID", pixResponse: { qrCodeBase64: png, uri: code } }, list: [null, 1, { again: png }] };
  assert.deepEqual(shown(findPreviews(data, new Map())), [
    ["code transaction.pixResponse.uri", "image transaction.pixResponse.qrCodeBase64"], ["image list.2.again"],
  ]);
});

test("derived fields are found by their types under any alias, with the names of the schema", () => {
  const query = `query ($id: ID!) {
    one: transaction(id: $id) { dates: timeline { when: at ...Since } pix: pixResponse { text: uri says: brCode { sum: amount amount } picture: qrCodeBase64 } }
    notification(id: $id) { delivery { verdict } }
    sums: depositSummary(groupBy: [STATUS]) { ok: complete parts: groups { status n: count } }
  }
  fragment Since on TimelineEntry { since: sincePreviousInMilliseconds }`;
  const all = found(query, {
    one: {
      dates: [{ when: "2026-01-31T12:00:00Z", since: null }, { when: null, since: null }],
      pix: { text: code, says: { sum: 5170, amount: 5170 }, picture: png },
    },
    notification: { delivery: { verdict: "NEWER_THAN_THE_PAGE" } },
    sums: { ok: false, parts: [{ status: null, n: 1 }] },
  });
  assert.deepEqual(shown(all), [
    ["timeline one.dates"], ["code one.pix.text", "image one.pix.picture", "brCode one.pix.says"], ["delivery notification.delivery"], ["summary sums"],
  ]);
  assert.deepEqual(all.groups.map((group) => group.at(-1)?.value), [
    [{ at: "2026-01-31T12:00:00Z", sincePreviousInMilliseconds: null }, { at: null, sincePreviousInMilliseconds: null }],
    { amount: 5170 }, { verdict: "NEWER_THAN_THE_PAGE" }, { complete: false, groups: [{ status: null, count: 1 }] },
  ]);
});

test("a value that is null, or that has no selected field, is not drawn", () => {
  const query = "{ notification(id: 1) { delivery { __typename } } transaction(id: 1) { timeline { at } pixResponse { brCode { txid } } } }";
  const data = { notification: { delivery: { __typename: "Delivery" } }, transaction: { timeline: null, pixResponse: { brCode: null } } };
  assert.deepEqual(shown(found(query, data)), []);
  assert.deepEqual(shown(found(query, { notification: null, transaction: { timeline: [], pixResponse: null } })), [["timeline transaction.timeline"]]);
});

test("free-form JSON is not taken for a derived field", () => {
  const data = { transaction: { metadata: { delivery: { verdict: "DELIVERED" }, timeline: [{ at: "x" }] } } };
  assert.deepEqual(shown(found("{ transaction(id: 1) { metadata } }", data)), []);
});

for (const text of [
  "https://example.com/a.png",
  "data:text/html;base64,PGI+",
  "data:image/png,abc",
  'data:image/png;base64,AA" onerror="x',
  " " + png,
]) {
  test(`never shown as an image: ${text}`, () => assert.deepEqual(findPreviews({ text }, new Map()).groups, []));
}

test("the number of previews is limited, and the others are counted", () => {
  const records = (count: number) => Array.from({ length: count }, () => ({ image: png }));
  const { groups, omitted } = findPreviews({ records: records(1000) }, new Map());
  assert.deepEqual([groups.length, omitted], [maxPreviews, 1000 - maxPreviews]);
  assert.equal(findPreviews({ records: records(maxPreviews) }, new Map()).omitted, 0);
});

test("there are no previews without a response, and a number of many digits is no object", () => {
  for (const data of [null, undefined, 1, parseExact('{"amount":12345678901234567890}')]) {
    assert.deepEqual(findPreviews(data, new Map()), { groups: [], omitted: 0 });
  }
});
