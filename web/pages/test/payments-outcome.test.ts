import assert from "node:assert/strict";
import { test } from "node:test";
import { announcedBy, connectionOf } from "../src/payments/payment/announced.ts";
import type { Deposit, Webhook, Withdrawal } from "../src/payments/payment/documents.ts";
import { moneyOf } from "../src/payments/payment/outcome.tsx";
import { withAttempts } from "../src/payments/payment/steps.ts";

test("whether money moved follows from the dates and amounts of a record, where 0001-01-01 and 0 are no value", () => {
  const deposit = (change: object) => moneyOf({ paymentDate: null, amountPaid: null, refundDate: null, refundAmount: null, ...change } as Deposit);
  assert.equal(deposit({}), "none");
  assert.equal(deposit({ paymentDate: "0001-01-01T00:00:00Z", amountPaid: 0 }), "none");
  assert.equal(deposit({ amountPaid: 5170 }), "moved");
  assert.equal(deposit({ paymentDate: "2026-11-26T12:00:00Z" }), "moved");
  assert.equal(deposit({ paymentDate: "2026-11-26T12:00:00Z", refundAmount: 5170 }), "returned");
  const withdrawal = (change: object) => moneyOf({ processedDate: null, amountWithdrawn: null, refundDate: null, refundAmount: null, ...change } as Withdrawal);
  assert.deepEqual([withdrawal({}), withdrawal({ amountWithdrawn: 51.7 }), withdrawal({ refundDate: "2026-11-26T12:00:00Z" })], ["none", "moved", "returned"]);
});

test("a webhook announced the status of its body, in each form that a body can have", () => {
  const bodies = [{ status: "PAID", id: "x" }, '{"status":"PAID"}', "id=x&status=PAID&amount=1", "Transação PAID ✔", { status: 7 }, [], null, '"PAID"'];
  assert.deepEqual(bodies.map((body) => announcedBy({ body })), ["PAID", "PAID", "PAID", null, null, null, null, null]);
});

test("an error of a connection has words", () => {
  const errors = ["connect ECONNREFUSED 192.0.2.1:443",
    "getaddrinfo ENOTFOUND a.example", "read ETIMEDOUT", "CERT_HAS_EXPIRED", "destination answered with an error"];
  assert.deepEqual(errors.map(connectionOf), ["refused", "name", "timeout", "certificate", null]);
});

test("attempts are between the statuses, by their time", () => {
  const attempt = (createdAt: string, statusCode: number) => ({ createdAt, url: "", response: { statusCode, responseTime: 1, body: "" } });
  const webhook = { executions: [attempt("2026-11-26T12:00:05-03:00", 503), null, attempt("2026-11-26T15:00:01Z", 0),
    attempt("soon", 200)] } as unknown as Webhook;
  const entries = [{ at: "2026-11-26T15:00:00Z", status: "PENDING" }, { at: "2026-11-26T15:00:02Z", status: "PAID" }, { at: null, status: "NEW" }];
  const steps = withAttempts(entries, [webhook]).map((step) => ("webhook" in step ? step.statusCode : step.status));
  assert.deepEqual(steps, ["PENDING", 0, "PAID", "NEW", 503]);
});
