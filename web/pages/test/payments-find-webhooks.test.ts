import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../src/payments/gateway.ts";
import { Failure } from "../src/payments/gateway.ts";
import { byUrgency, readWebhooks, WebhookReader, type Notified } from "../src/payments/rows/webhooks.ts";

function notified(verdict: string): Notified {
  return { id: verdict, delivery: { verdict, explanation: "", attempts: 1, lastStatusCode: null } };
}

/** A gateway that answers with what a function makes of the ids, and records them. */
function gatewayOf(answer: (ids: string[]) => Partial<Answer<unknown>>) {
  const asked: string[][] = [];
  const ask = async <Data>(_query: string, { ids }: Record<string, unknown>) => {
    asked.push(ids as string[]);
    return { data: null, errors: [], requestId: null, ...answer(ids as string[]) } as Answer<Data>;
  };
  return { asked, ask };
}

const all = (ids: string[]) => ({ data: { transactions: ids.map((id) => ({ id, notifications: { nodes: [notified("DELIVERED")], links: [] } })) } });

test("the notification that needs attention most is that of the row", () => {
  const verdicts = (...names: string[]) => byUrgency(names.map(notified))[0]?.delivery.verdict;
  assert.equal(verdicts("DELIVERED", "REJECTED", "NOT_ATTEMPTED"), "REJECTED");
  assert.equal(verdicts("DELIVERED", "NEW_VERDICT"), "DELIVERED");
  assert.equal(verdicts("DELIVERED", "NOT_ATTEMPTED"), "NOT_ATTEMPTED");
});

test("a deposit without a transaction differs from one whose transaction could not be read", async () => {
  const error = (path: (string | number)[], code: string) => ({ message: "", path, extensions: { code } });
  const gateway = gatewayOf(() => ({
    data: {
      transactions: [
        null,
        null,
        { id: "c", notifications: null },
        { id: "d", notifications: { nodes: [notified("REJECTED"), null], links: ["VERIFIED", "UNAVAILABLE", "MISMATCH"].map((state) => ({ state })) } },
      ],
    },
    errors: [
      error(["transactions", 0], "NOT_FOUND"),
      error(["transactions", 1], "UPSTREAM_UNAVAILABLE"),
      error(["transactions", 2, "notifications"], "FORBIDDEN"),
    ],
  }));
  const read = await readWebhooks(gateway, true, ["a", "b", "c", "d"]);
  assert.deepEqual([...read.values()], [
    { state: "absent" },
    { state: "unread", error: new Failure("", "UPSTREAM_UNAVAILABLE", null, { code: "UPSTREAM_UNAVAILABLE" }) },
    { state: "unread", error: new Failure("", "FORBIDDEN", null, { code: "FORBIDDEN" }) },
    { state: "read", notified: [notified("REJECTED")], unread: 1 },
  ]);
});

test("an error of the whole list is one of each deposit", async () => {
  const errors = [{ message: "", path: ["transactions"], extensions: { code: "FORBIDDEN" } }];
  const gateway = gatewayOf(() => ({ data: { transactions: null }, errors }));
  const forbidden = new Failure("", "FORBIDDEN", null, { code: "FORBIDDEN" });
  assert.deepEqual([...(await readWebhooks(gateway, false, ["a"])).values()], [{ state: "unread", error: forbidden }]);
});

/** Waits until a reader has read some deposits. */
function until(reader: WebhookReader, count: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = reader.read.watch(() => {
      if (reader.read.get().size < count) return;
      stop();
      resolve();
    });
  });
}

test("rows that come into view together are read in batches of twenty, once each", async () => {
  const gateway = gatewayOf(all);
  const reader = new WebhookReader(gateway, true);
  const ids = Array.from({ length: 45 }, (_, index) => String(index));
  for (const id of [...ids, ...ids]) reader.want(id);
  reader.cancel("3"); // out of view before it was read
  await until(reader, 44);
  assert.deepEqual(gateway.asked.map(({ length }) => length), [20, 20, 4]);
  reader.want("0");
  reader.want("3");
  await until(reader, 45);
  assert.deepEqual(gateway.asked.at(-1), ["3"]);
});

test("only what is to be read is shown as being read", async () => {
  const reader = new WebhookReader(gatewayOf(all), true);
  for (const id of ["a", "b", "c"]) reader.want(id);
  reader.cancel("b");
  assert.deepEqual([...reader.reading.get()], ["a", "c"]);
  await until(reader, 2);
  await new Promise(setImmediate);
  assert.equal(reader.reading.get().size, 0);
  reader.want("b");
  reader.stop();
  assert.equal(reader.reading.get().size, 0);
});

test("a failed read can be repeated", async () => {
  let down = true;
  const gateway = gatewayOf((ids) => {
    if (down) throw new Failure("down", "NO_RESPONSE", null);
    return all(ids);
  });
  const reader = new WebhookReader(gateway, true);
  reader.want("a");
  await until(reader, 1);
  assert.deepEqual(reader.read.get().get("a"), { state: "unread", error: new Failure("down", "NO_RESPONSE", null) });
  down = false;
  reader.again();
  await until(reader, 1);
  assert.equal(reader.read.get().get("a")?.state, "read");
});

test("a table that is gone reads no more", async () => {
  const gateway = gatewayOf(all);
  const reader = new WebhookReader(gateway, true);
  for (let id = 0; id < 45; id++) reader.want(String(id));
  const first = until(reader, 20);
  reader.read.watch(() => reader.stop());
  await first;
  await new Promise(setImmediate);
  assert.equal(gateway.asked.length, 1);
});

test("a click on a row waits until it is known where it leads, also out of view", async () => {
  const errors = [{ message: "", path: ["transactions", 0], extensions: { code: "NOT_FOUND" } }];
  const gateway = gatewayOf(() => ({ data: { transactions: [null] }, errors }));
  const reader = new WebhookReader(gateway, false);
  const known = reader.known("a");
  reader.cancel("a");
  assert.deepEqual(await known, { state: "absent" });
  assert.deepEqual(await reader.known("a"), { state: "absent" });
  assert.equal(gateway.asked.length, 1);
});
