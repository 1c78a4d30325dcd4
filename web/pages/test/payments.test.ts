import assert from "node:assert/strict";
import { test } from "node:test";
import { documentText } from "../src/payments/payment/holder.ts";
import { findDeposit, isTime } from "../src/payments/payment/read.ts";
import { attemptsOf, spanText, stepsOf } from "../src/payments/payment/steps.ts";
import { hrefOf, routeOf, type Route } from "../src/payments/route.ts";
import { addDays, dayOf, instantOf, isBefore, spanOf, wallTime, weekOf } from "../src/payments/zone.ts";

test("a route survives its URL", () => {
  const days = { from: "2026-11-23", to: "2026-11-23" };
  const routes: Route[] = [
    { view: "home" },
    { view: "list", kind: "deposits", days, status: null, page: 1 },
    { view: "list", kind: "withdrawals", days: { from: "2026-11-17", to: "2026-11-23" }, status: "PROCESSED", page: 3 },
    { view: "transaction", id: "0b0e6a0c-6f4f-4ad3-b0f1-b7b2b4b0a001" },
    { view: "notification", id: "with / and ? and # and é" },
    { view: "deposit", id: "x", createdAt: "2026-11-23T10:00:00.000+00:00" },
  ];
  for (const route of routes) assert.deepEqual(routeOf(hrefOf(route)), route);
  assert.equal(hrefOf({ view: "list", kind: "deposits", days, status: null, page: 1 }), "#/deposits/2026-11-23");
});

test("a fragment that is no route is unknown, and an empty one the home view", () => {
  const none = [
    "", "#", "#/", "#/deposits", "#/deposits/2026-02-30", "#/deposits/2026-11-23..2026-11-22", "#/transaction/", "#/transaction/%E0%A4%A",
    "#/toString/x", "#/__proto__/x",
  ];
  for (const fragment of none) assert.deepEqual(routeOf(fragment), { view: fragment.length > 2 ? "unknown" : "home" }, fragment);
  assert.deepEqual(routeOf("#/deposits/2026-11-23?page=0&status=PAID"), {
    view: "list", kind: "deposits", days: { from: "2026-11-23", to: "2026-11-23" }, status: "PAID", page: 1,
  });
});

test("a link cannot ask for more than a year before its days", () => {
  const route = routeOf("#/deposits/2026-11-23?by=payment&before=999999999");
  assert.equal(route.view === "list" && route.createdBefore, 366);
});

test("days are those of Brasília, also when the clocks were changed", () => {
  assert.equal(dayOf(new Date("2026-11-24T02:59:59Z")), "2026-11-23");
  assert.equal(dayOf(new Date("2026-11-24T03:00:00Z")), "2026-11-24");
  assert.equal(instantOf("2026-11-24T00:00:00").toISOString(), "2026-11-24T03:00:00.000Z");
  // In the night to 4 November 2018 there was no time from 0:00 to 1:00.
  assert.equal(instantOf("2018-11-04T12:00:00").toISOString(), "2018-11-04T14:00:00.000Z");
  assert.equal(dayOf(instantOf("2018-11-04T00:00:00")), "2018-11-04");
  assert.deepEqual(spanOf({ from: "2026-11-23", to: "2026-11-23" }), {
    startDate: "2026-11-23T03:00:00.000Z", endDate: "2026-11-24T02:59:59.999Z",
  });
  assert.deepEqual(spanOf({ from: "2018-11-03", to: "2018-11-03" }).endDate, "2018-11-04T02:59:59.999Z");
  assert.equal(wallTime(new Date("2026-01-01T02:30:00.500Z")), "2025-12-31T23:30:00");
});

test("a week begins on Monday", () => {
  assert.deepEqual(weekOf("2026-11-26"), { from: "2026-11-23", to: "2026-11-26" });
  assert.deepEqual(weekOf("2026-11-23"), { from: "2026-11-23", to: "2026-11-23" });
  assert.deepEqual(weekOf("2026-11-22"), { from: "2026-11-16", to: "2026-11-22" });
  assert.equal(addDays("2026-03-01", -1), "2026-02-28");
});

test("attempts are in the order of time, unless a time is invalid", () => {
  const attempt = (createdAt: string) => ({ createdAt, url: "", response: { statusCode: 200, responseTime: 1, body: null } });
  const times = (given: (string | null)[]) => attemptsOf({ executions: given.map((at) => at === null ? null : attempt(at)) }).map(({ createdAt }) => createdAt);
  assert.deepEqual(times(["2026-01-02T00:00:00Z", null, "2026-01-01T23:00:00-02:00", "2026-01-01T00:00:00Z"]),
    ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-01T23:00:00-02:00"]);
  assert.deepEqual(times(["b", "2026-01-01T00:00:00Z"]), ["b", "2026-01-01T00:00:00Z"]);
});

test("dates that a status of the same time says are not repeated in a timeline", () => {
  const at = "2026-11-25T10:00:00Z";
  const entry = (source: string, status: string | null = null, time = at) => ({ at: time, source, status });
  const shown = (...entries: ReturnType<typeof entry>[]) => stepsOf(entries).map(({ source, status }) => status ?? source);
  assert.deepEqual(shown(entry("STATUS_HISTORY", "PAID"), entry("PAYMENT_DATE"), entry("UPDATED_AT")), ["PAID"]);
  assert.deepEqual(shown(entry("STATUS_HISTORY", "PAID", "2026-11-25T10:00:01Z"), entry("PAYMENT_DATE")), ["PAID", "PAYMENT_DATE"]);
  assert.deepEqual(shown(entry("CREATED_AT"), entry("STATUS_HISTORY", "PENDING")), ["CREATED_AT", "PENDING"]);
});

test("spans are in the words of a clock, without the digits that nobody reads", () => {
  assert.equal(spanText("0", "pt-BR"), null);
  assert.equal(spanText("665", "pt-BR"), "< 1 s");
  assert.equal(spanText("59956953", "en-GB"), "16 h 39 min");
  assert.equal(spanText("125123.5", "pt-BR"), "2 min 5 s");
  assert.equal(spanText("90061000", "pt-BR"), "1 d 1 h");
  assert.equal(spanText("x", "pt-BR"), null);
});

test("a CPF and a CNPJ are written with their punctuation, and other texts as they are", () => {
  assert.deepEqual(["66901101503", "12345678000195", "***.687.486-**", "BACVH6NF000133", "123"].map(documentText),
    ["669.011.015-03", "12.345.678/0001-95", "***.687.486-**", "BA.CVH.6NF/0001-33", "123"]);
});

test("a date without an offset is not before now in the zone of the reader", () => {
  const now = Date.parse("2026-11-23T12:00:00Z");
  assert.equal(isBefore("2026-11-23T11:59:59+0000", now), true);
  for (const date of ["2026-11-23T12:00:01Z", "2026-11-22T11:00:00", "never"]) assert.equal(isBefore(date, now), false, date);
});

test("a deposit is looked for in its second, and without an offset in that second of each time zone", async () => {
  const filterFor = async (createdAt: string) => {
    let filter: unknown = null;
    const ask = async (_query: string, variables: Record<string, unknown>) => {
      filter = variables["filter"];
      return { data: { deposits: { nodes: [], pageInfo: { hasNextPage: false } } } as never, errors: [], requestId: null };
    };
    await findDeposit({ ask }, "x", createdAt, new AbortController().signal);
    return filter;
  };
  const second = { startDate: "2026-11-23T11:59:59.000Z", endDate: "2026-11-23T12:00:01.000Z" };
  for (const time of ["2026-11-23T12:00:00Z", "2026-11-23 09:00:00-03"]) assert.deepEqual(await filterFor(time), second);
  assert.deepEqual(await filterFor("2026-11-23T12:00:00"), { startDate: "2026-11-22T21:59:59.000Z", endDate: "2026-11-24T02:00:01.000Z" });
  for (const text of ["2026-11-2", "2026-11-23T12", ""]) assert.deepEqual([await filterFor(text), isTime(text)], [null, false]);
});
