import assert from "node:assert/strict";
import { test } from "node:test";
import type { Notification, Payment } from "../src/payment/documents.ts";
import { filterOf } from "../src/payment/filter.ts";
import { webhookOf, webhooksOf } from "../src/payment/webhooks.ts";

function notification(change: Partial<Notification>, ...attempts: [time: string, status: number][]): Notification {
  return {
    id: "n", statusRaw: "FAILED", url: "https://shop.example", error: null, createdAt: "2026-01-01T00:00:00Z", delivery: {},
    executions: attempts.map(([createdAt, statusCode]) => ({ createdAt, url: "", response: { statusCode, responseTime: 1, body: null } })),
    ...change,
  };
}

function payment(change: Partial<Payment>): { data: { transaction: Payment } } {
  const transaction = { id: "t", statusRaw: "PAID", amount: 1, createdAt: "", webhookUrl: "https://shop.example", notifications: null, ...change };
  return { data: { transaction } };
}

test("without a source of ids the panel says so, and never that no webhook exists", () => {
  const error = { message: "no source", path: ["transaction", "notifications"], extensions: { code: "LINKS_NOT_CONFIGURED" } };
  const unknown = [
    webhooksOf({ ...payment({}), errors: [error] }, true),
    webhooksOf(payment({ notifications: { nodes: [], links: [] } }), false),
  ];
  for (const { notes } of unknown) {
    assert.equal(notes.length, 1);
    assert.match(notes[0] ?? "", /cannot find the notifications of a payment: links_metadata_pointer is not set/);
  }
  const { notes } = webhooksOf(payment({ notifications: { nodes: [], links: [] } }), true);
  assert.match(notes.join(), /names no notifications, and the dispatcher cannot list them/);
});

test("every link that is not shown has its sentence, and errors their message", () => {
  const states = ["MISMATCH", "NOT_FOUND", "FORBIDDEN", "UNAVAILABLE"] as const;
  const links = [...states, "VERIFIED" as const].map((state) => ({ notificationId: state, state }));
  const down = { message: "down", extensions: { requestId: "r" } };
  const { notes, notifications, errors, requestId } = webhooksOf(
    { ...payment({ webhookUrl: null, notifications: { nodes: [null, notification({})], links } }), errors: [down] }, true,
  );
  assert.equal(notifications.length, 1);
  assert.deepEqual([errors, requestId], [["down"], "r"]);
  assert.equal(notes[0], "The payment has no webhook URL.");
  assert.deepEqual(notes.slice(1, -1).map((note) => note.split(" ")[1]), [...states]);
  assert.match(notes.at(-1) ?? "", /There may be other notifications/);
  const missing = { message: "not found", path: ["transaction"], extensions: { code: "NOT_FOUND" } };
  assert.deepEqual(webhooksOf({ data: { transaction: null }, errors: [missing] }, true).notes, ["No transaction has this id."]);
  assert.deepEqual(webhookOf({ data: { notification: notification({ referenceId: "t" }) } }).notes, ["The notification is about the record t."]);
});

test("a search is a filter in cents and UTC", () => {
  assert.deepEqual(filterOf({ amount: "", from: "", to: "" }), {});
  const filter = filterOf({ amount: "R$ 1.234,56", from: "2026-01-01T10:00", to: "" });
  assert.deepEqual([filter["minAmount"], filter["maxAmount"]], [123456, 123456]);
  assert.equal(filter["startDate"], new Date(2026, 0, 1, 10).toISOString());
  assert.throws(() => filterOf({ amount: "much", from: "", to: "" }), /such as 51,70/);
  for (const amount of ["0,00", "100000,01"]) assert.throws(() => filterOf({ amount, from: "", to: "" }), /from R\$\s0,01 to R\$\s100.000,00/);
  assert.equal(filterOf({ amount: "100.000,00", from: "", to: "" })["maxAmount"], 10_000_000);
});
