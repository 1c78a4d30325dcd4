import assert from "node:assert/strict";
import { test } from "node:test";
import { crc16 } from "../src/preview/crc.ts";
import { findPreviews, isBRCode, maxPreviews } from "../src/preview/find.ts";

/** A BR Code with these contents and its checksum. */
function brCode(contents = "5802BR"): string {
  const text = `000201${contents}6304`;
  return text + crc16(text).toString(16).toUpperCase().padStart(4, "0");
}

const png = "data:image/png;base64,iVBORw0KGgo=";

test("the checksum is CRC-16/CCITT-FALSE", () => {
  assert.equal(crc16("123456789"), 0x29b1);
});

for (const [name, text, is] of [
  ["that is complete", brCode(), true],
  ["with the checksum in lower case", brCode().toLowerCase().replace("br", "BR"), true],
  ["with letters beyond ASCII", brCode("5909São Paulo"), true],
  ["with one wrong digit", brCode().replace("5802", "5803"), false],
  ["that is truncated", brCode().slice(0, -1), false],
  ["with a trailing space", brCode() + " ", false],
  ["that is only its prefix", "000201", false],
] as const) {
  test(`a BR Code ${name}`, () => assert.equal(isBRCode(text), is));
}

test("previews are in the order of the response, with their paths", () => {
  const data = { transaction: { status: "PAID", pixResponse: { uri: brCode(), qrCodeBase64: png } }, list: [null, 1, { again: png }] };
  assert.deepEqual(
    findPreviews(data).map(({ kind, path }) => `${kind} ${path}`),
    ["brcode transaction.pixResponse.uri", "image transaction.pixResponse.qrCodeBase64", "image list.2.again"],
  );
});

for (const text of [
  "https://example.com/a.png",
  "data:text/html;base64,PGI+",
  "data:image/png,abc",
  'data:image/png;base64,AA" onerror="x',
  " " + png,
]) {
  test(`never shown as an image: ${text}`, () => assert.deepEqual(findPreviews({ text }), []));
}

test("the number of previews is limited", () => {
  assert.equal(findPreviews(Array.from({ length: 100 }, () => png)).length, maxPreviews);
});

test("there are no previews without a response", () => {
  assert.deepEqual(findPreviews(null), []);
});
