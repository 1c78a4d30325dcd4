import assert from "node:assert/strict";
import { test } from "node:test";
import { boundaryOf, Joined, mayDefer, partsIn } from "../src/parts.ts";

/** A body that arrives in pieces of some bytes. It ends early if it is cut. */
function bodyOf(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, (at += size)));
    },
  });
}

const head = "\r\ncontent-type: application/json\r\n\r\n";
const first = '{"errors":[{"message":"a"}],"data":{"payments":[{"id":"1","amount":5},{"id":"2"}]},' +
  '"pending":[{"id":"0","path":["payments",0]},{"id":"1","path":["payments",1]}],"hasNext":true}';
const second = '{"incremental":[{"data":{"webhooks":["ü--b--"]},"id":"0"},{"data":{"name":"M"},"id":"0","subPath":["payer"]}],' +
  '"completed":[{"id":"0"}],"hasNext":true}';
const third = '{"completed":[{"id":"1","errors":[{"message":"b"}]}],"hasNext":false,"extensions":{"x":1}}';
const whole = `--b${[first, second, third].map((part) => `${head}${part}\r\n--b`).join("")}--\r\n`;

test("reads the parts of a body in pieces of any size", async () => {
  for (const size of [1, 2, 7, 1000]) {
    const parts = [];
    for await (const part of partsIn(bodyOf(whole, size), "b")) parts.push(part);
    assert.deepEqual(parts, [first, second, third]);
  }
});

test("fails if the last part is missing", async () => {
  const read = async () => {
    for await (const part of partsIn(bodyOf(whole.slice(0, -4), 50), "b")) assert.notEqual(part, "");
  };
  await assert.rejects(read, /incomplete/);
});

test("joins parts", () => {
  const joined = new Joined();
  assert.equal(JSON.stringify(joined.add(first).data), '{"payments":[{"id":"1","amount":5},{"id":"2"}]}');
  assert.equal(joined.hasNext, true);
  joined.add('{"incremental":[{"data":{"payer":{"id":"p"}},"id":"0"}],"hasNext":true}');
  assert.deepEqual((joined.add(second).data as { payments: { webhooks: unknown; payer: unknown }[] }).payments[0]?.payer, { id: "p", name: "M" });
  const { errors, extensions } = joined.add(third);
  assert.deepEqual([errors?.map(({ message }) => message), extensions, joined.hasNext], [["a", "b"], { x: 1 }, false]);
  const hostile = new Joined();
  hostile.add('{"data":{"a":{}},"pending":[{"id":"0","path":["a"]}],"hasNext":true}');
  hostile.add('{"incremental":[{"id":"0","data":{"__proto__":{"b":1}}}],"hasNext":false}');
  assert.equal(({} as { b?: number }).b, undefined);
});

test("recognizes operations and responses with parts", () => {
  assert.deepEqual(["{ a ... @defer { b } }", "{ defer }", "{ a @deferred }"].map(mayDefer), [true, false, false]);
  assert.equal(boundaryOf('multipart/mixed;boundary="graphql";incrementalSpec=v0.2'), "graphql");
  assert.equal(boundaryOf("application/json"), null);
});
