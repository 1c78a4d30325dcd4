import assert from "node:assert/strict";
import { test } from "node:test";
import { isSubscription, operationToRun } from "../src/operations/name.ts";
import { missingSettings } from "../src/operations/missing.ts";
import type { Ask } from "../src/base/ask.ts";
import { choose, findNewest } from "../src/operations/newest.ts";

for (const [name, document, asked, run] of [
  ["the operation with the name", "query A { a } query B { b }", "B", "B"],
  ["the only operation, if the name is from another tab", "query A { a }", "B", "A"],
  ["the only operation, unnamed", "{ a }", "B", null],
  ["the given name, if there are several operations", "query A { a } query B { b }", "C", "C"],
  ["the given name, for a document with syntax errors", "query A {", "A", "A"],
  ["the only operation, without a given name", "query A { a }", null, "A"],
] as const) {
  test(name, () => assert.equal(operationToRun(document, asked), run));
}

test("a subscription is recognized by the operation to run", () => {
  const document = "query A { a } subscription B { b }";
  assert.deepEqual(["A", "B", "C"].map((name) => isSubscription(document, name)), [false, true, false]);
  assert.deepEqual(["subscription { a }", "{ a }", "subscription {"].map((text) => isSubscription(text, null)), [true, false, false]);
});

test("operations are filled with a notification that was not delivered, and its transaction", () => {
  const transactions = [
    null,
    { id: "a", notifications: { nodes: [null, { id: "n1", status: "SENT" }] } },
    { id: "b", notifications: { nodes: [{ id: "n2", status: "FAILED" }] } },
  ];
  assert.deepEqual(choose({ transactions, open: [{ id: "o" }] }, ["o"]), { transaction: "b", notification: "n2", openTransaction: "o" });
  assert.deepEqual(choose({ transactions: [{ id: "a" }], open: [null] }, ["o"]), { transaction: "a" });
  assert.deepEqual(choose({ transactions: null, open: [{ id: "a" }] }, []), {});
});

test("what is not configured is named", () => {
  const none = { trace: false, schema: true, pageNumber: false, pageSize: false, links: false, maxCost: 1100, fees: "unknown" as const, operations: [] };
  const settings = missingSettings(none).map(({ setting }) => setting);
  assert.deepEqual(settings, ["paging_page_param", "paging_per_page_param", "links_metadata_pointer", "trace"]);
  assert.deepEqual(missingSettings({ ...none, trace: true, pageNumber: true, pageSize: true, links: true }), []);
});

test("a record that could not be read is an error, not a record that does not exist", async () => {
  const down = { message: "the dispatcher is down", extensions: { code: "UPSTREAM_UNAVAILABLE", requestId: "r" } };
  const lists = { data: { deposits: { nodes: [{ id: "a" }] }, open: { nodes: [] } } };
  const payments = { data: { transactions: [{ id: "a", notifications: null }], open: [] }, errors: [down] };
  const variables: Record<string, unknown>[] = [];
  const ask = (async (_query: string, given: Record<string, unknown>) => {
    variables.push(given);
    return "ids" in given ? payments : lists;
  }) as Ask;
  assert.deepEqual(await findNewest(ask, ["notification", "transaction"], true), { found: { transaction: "a" }, failure: down });
  assert.deepEqual(variables.at(-1), { ids: ["a"], open: ["a"], notifications: true });
  assert.deepEqual(await findNewest(ask, ["transaction"], true), { found: { transaction: "a" }, failure: null });
  const failing = (async () => ({ errors: [down] })) as Ask;
  assert.deepEqual(await findNewest(failing, ["transaction"], true), { found: {}, failure: down });
  const none = (async () => ({ data: { deposits: { nodes: [] }, open: { nodes: [] } } })) as unknown as Ask;
  assert.deepEqual(await findNewest(none, ["transaction"], true), { found: {}, failure: null });
});
