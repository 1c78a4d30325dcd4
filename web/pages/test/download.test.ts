import assert from "node:assert/strict";
import { test } from "node:test";
import { heldFile, save, type Format } from "../src/download/download.ts";
import { listOf } from "../src/download/list.ts";
import { schema } from "./schema.ts";

const nodes = "{ nodes { id } }";
const including = `query ($a: Boolean!) { deposits ${nodes} transactions(ids: []) @include(if: $a) { id } }`;

for (const [name, query, variables, list] of [
  ["a list", `{ deposits ${nodes} }`, "", "deposits"],
  ["an alias", `{ mine: withdrawals ${nodes} }`, "", "mine"],
  ["the same list twice", `{ deposits ${nodes} ...F } fragment F on Query { deposits { totalCount } }`, "", "deposits"],
  ["a fragment that contains itself", `{ ...F } fragment F on Query { ...F deposits ${nodes} }`, "", "deposits"],
  ["a list and summaries", `{ depositSummary { count } deposits ${nodes} w: withdrawalSummary { count } }`, "", "deposits"],
  ["a summary", "{ mine: depositSummary(groupBy: [DAY]) { groups { day } } }", "", "mine"],
  ["a summary next to a list that is skipped", `{ depositSummary { count } deposits @skip(if: true) ${nodes} }`, "", "depositSummary"],
  ["two lists", `{ deposits ${nodes} withdrawals ${nodes} }`, "", null],
  ["two lists and a summary", `{ deposits ${nodes} withdrawals ${nodes} depositSummary { count } }`, "", null],
  ["two summaries", "{ depositSummary { count } withdrawalSummary { count } }", "", null],
  ["a summary and a type name", "{ __typename depositSummary { count } }", "", null],
  ["nothing", `{ deposits @skip(if: true) ${nodes} }`, "", null],
  ["another field that is not included", including, '{"a": false}', "deposits"],
  ["another field that is included", including, '{"a": true}', null],
  ["another field that is not skipped", `query ($a: Boolean = false) { deposits ${nodes} transactions(ids: []) @skip(if: $a) { id } }`, "", null],
  ["a value for first", `query ($n: Int) { deposits(first: $n) ${nodes} }`, '{"n": 3}', "deposits"],
  ["a missing variable", `query ($n: Int!) { deposits(page: $n) ${nodes} }`, "", null],
  ["a single record", '{ transaction(id: "t") { id } }', "", null],
  ["a subscription", "subscription { deposits { totalCount } }", "", null],
  ["a syntax error", "{ deposits", "", null],
  ["variables that are not JSON", `{ deposits ${nodes} }`, "{", null],
] as const) {
  test(`a download of ${name}`, () => assert.equal(listOf(schema, { query, operationName: null, variables }), list));
}

test("without a schema there is no download", () => {
  assert.equal(listOf(null, { query: `{ deposits ${nodes} }`, operationName: null, variables: "" }), null);
});

/** Saves parts, and returns what was said and what the file has: null if it was not closed. */
async function saved(format: Format, parts: string[], max?: number): Promise<[string, string | null]> {
  let content: Blob | null = null;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
  const file = heldFile((blob) => (content = blob), max);
  const said = await save(body, format, file, () => {}).then((saved) => saved.said, (error: Error) => error.message);
  return [said, await (content as Blob | null)?.text() ?? null];
}

const last = (complete: boolean) => `{"@download":{"complete":${complete},${complete ? "" : '"reason":"PAGE_FAILED",'}"records":2,"pages":1}}\n`;

test("NDJSON says whether it is complete, wherever its bytes are divided", async () => {
  for (const complete of [true, false]) {
    const text = `{"id":"ç"}\nnull\n${last(complete)}`;
    for (let at = 0; at <= text.length; at++) {
      const [said, content] = await saved("ndjson", [text.slice(0, at), text.slice(at)]);
      assert.equal(content, text);
      assert.match(said, complete ? /^saved \d+ B\. The file is complete: 2 records\.$/ : /The file is NOT complete \(PAGE_FAILED\): 2 records\.$/);
    }
  }
});

test("a file without its last line is not saved", async () => {
  for (const format of ["csv", "ndjson"] as const) {
    for (const text of ["", '{"id":1}\n', last(true).slice(0, -4), "null\n", '{"id":1}\n{"id"', "id\r\n1\r\n"]) {
      assert.deepEqual(await saved(format, [text]), ["The connection ended before the last line.", null]);
    }
  }
});

test("CSV is saved without its last line, unless it lacks records", async () => {
  const rows = 'id,name\r\n1,"ç\n{""@download"":1}"\r\n';
  const whole = rows + last(true);
  for (let at = 0; at <= whole.length; at++) {
    assert.deepEqual(await saved("csv", [whole.slice(0, at), whole.slice(at)]), ["saved 35 B. The file is complete: 2 records.", rows]);
  }
  const changed = rows + last(false).replace("PAGE_FAILED", "TOTAL_CHANGED");
  assert.deepEqual(await saved("csv", [changed]), ["saved 35 B. The file is NOT complete (TOTAL_CHANGED): 2 records.", rows]);
  const [said, content] = await saved("csv", [rows + last(false)]);
  assert.match(said, /^Records are missing \(PAGE_FAILED\)/);
  assert.equal(content, null);
});

test("a file in memory has a limit", async () => {
  const [said, content] = await saved("ndjson", ["12345\n", "67890\n{"], 9);
  assert.match(said, /^The file is larger than 9 B/);
  assert.equal(content, null);
});
