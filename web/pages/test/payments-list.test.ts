import assert from "node:assert/strict";
import { test } from "node:test";
import { isEnumType, parse, validate } from "graphql";
import { add, money, quantity, subtract } from "../src/base/money.ts";
import { daysText } from "../src/payments/parts/moment.tsx";
import { dayOfDate, lengthOf, partsOf, periodsOf, refusalOf } from "../src/payments/list/periods.ts";
import {
  countQuery, createdSince, fileQuery, filterOf, matchingQuery, rowsOf, statusesOf, sumsQuery, sumsVariables, wideFilterOf, type ListRoute,
} from "../src/payments/list/query.ts";
import { countsAgree } from "../src/payments/list/reading.ts";
import { pageQuery, type Page } from "../src/payments/pages.ts";
import { byDay, byStatus, hasAllGroups, notKept, type Summary } from "../src/payments/list/totals.ts";
import { hrefOf, routeOf } from "../src/payments/route.ts";
import { schema } from "./schema.ts";

const route: ListRoute = { view: "list", kind: "deposits", days: { from: "2026-11-23", to: "2026-11-23" }, status: null, page: 1 };

test("periods are those of Brazil's weeks, which begin on Monday, and of months", () => {
  const { thisWeek, lastWeek, thisMonth, lastMonth, yesterday } = periodsOf("2026-03-01"); // a Sunday
  assert.deepEqual(yesterday, { from: "2026-02-28", to: "2026-02-28" });
  assert.deepEqual(thisWeek, { from: "2026-02-23", to: "2026-03-01" });
  assert.deepEqual(lastWeek, { from: "2026-02-16", to: "2026-02-22" });
  assert.deepEqual(thisMonth, { from: "2026-03-01", to: "2026-03-01" });
  assert.deepEqual(lastMonth, { from: "2026-02-01", to: "2026-02-28" });
});

test("a date that cannot be chosen has a reason", () => {
  const texts = ["2026-11-26", "2026-11-27", "2020-10-31", "0202-11-26", "", "2026-11-31"];
  assert.deepEqual(texts.map((text) => refusalOf(text, "2026-11-26")), [null, "future", "early", "incomplete", "incomplete", "incomplete"]);
});

test("a period is written as people write it", () => {
  const days = { from: "2026-11-25", to: "2026-11-26" };
  assert.equal(daysText(days, "pt-BR"), "25 a 26 de novembro de 2026");
  assert.equal(daysText({ ...days, to: "2026-12-02" }, "pt-BR"), "25 de novembro a 2 de dezembro de 2026");
  assert.equal(daysText({ from: "2026-11-25", to: "2026-11-25" }, "pt-BR"), "25 de novembro de 2026");
  assert.equal(daysText(days, "en-GB").replaceAll(/\s*–\s*/g, "–"), "25–26 November 2026");
});

test("a period is split into its days, a long one into its months or years, and nothing is between them", () => {
  assert.deepEqual(partsOf({ from: "2026-11-23", to: "2026-11-23" }), []);
  assert.deepEqual(partsOf({ from: "2026-11-30", to: "2026-12-01" }).map(({ from }) => from), ["2026-12-01", "2026-11-30"]);
  assert.deepEqual(partsOf({ from: "2026-01-15", to: "2026-03-02" }), [
    { from: "2026-03-01", to: "2026-03-02" }, { from: "2026-02-01", to: "2026-02-28" }, { from: "2026-01-15", to: "2026-01-31" },
  ]);
  for (const [from, count] of [["2026-10-24", 31], ["2026-10-23", 2], ["2024-12-15", 24], ["2021-02-03", 6]] as const) {
    const days = { from, to: "2026-11-23" };
    const parts = partsOf(days);
    assert.deepEqual([parts.length, parts[0]?.to, parts.at(-1)?.from], [count, days.to, from]);
    assert.equal(parts.reduce((sum, part) => sum + lengthOf(part), 0), lengthOf(days));
  }
});

for (const [a, b, sum] of [
  ["1", "2", "3"], ["9007199254740993", "1", "9007199254740994"], ["-3", "1", "-2"], ["0.1", "0.2", "0.3"], ["-0.5", "0.25", "-0.25"],
  ["10.5", "-0.5", "10"], ["1.005", "2", "3.005"], [null, "1", "1"], ["1", null, "1"], [null, null, null], ["-0.05", "0", "-0.05"],
] as const) {
  test(`${a} and ${b} are ${sum}`, () => assert.equal(add(a, b), sum));
}

test("a sum that is not known subtracts nothing", () => {
  assert.deepEqual([subtract("3", "0.5"), subtract("3", "-1"), subtract("3", null), subtract(null, "3")], ["2.5", "4", "3", null]);
});

test("sums are written by the language, and all digits of those that are rounded are known", () => {
  const shown = (cents: string, locale: string) => {
    const { text = "", exact = null } = money(cents, locale) ?? {};
    return [text, exact].map((each) => each?.replace(/\s/, " ") ?? null);
  };
  assert.deepEqual(shown("5170", "pt-BR"), ["R$ 51,70", null]);
  assert.deepEqual(shown("744511", "en-GB"), ["R$7,445.11", null]);
  assert.deepEqual(shown("-9223372036854775808", "pt-BR"), ["-R$ 92.233.720.368.547.758,08", null]);
  assert.deepEqual(shown("9007199254740993.75", "pt-BR"), ["R$ 90.071.992.547.409,94", "R$ 90.071.992.547.409,9375"]);
  assert.deepEqual(shown("100.25", "en-GB"), ["R$1.00", "R$1.0025"]);
  assert.deepEqual([quantity("8671.086", "pt-BR")?.text, quantity("8671.086", "en-GB")?.text], ["8.671,086", "8,671.086"]);
  assert.equal(money("62.5", "pt-BR", "reais")?.text.replace(/\s/, " "), "R$ 62,50");
  assert.deepEqual([money(null, "pt-BR"), money("x", "pt-BR"), quantity(null, "pt-BR"), quantity("1e3", "pt-BR")], [null, null, null, null]);
});

const group = (day: string, statusRaw: string, count: number, amount: string, amountPaid: string | null) => ({
  day, statusRaw, count, amount, amountPaid,
});

const summary: Summary = {
  count: 6, amount: "600", amountPaid: "300", unreadable: 0, pagesRead: 1, complete: true, reason: null,
  groups: [
    group("2026-11-23", "PAID", 1, "100", "100"), group("2026-11-22", "PENDING", 1, "100", null),
    group("2026-11-22", "PAID", 2, "200", "200"), group("2026-11-23", "PENDING", 2, "200", null),
  ],
};

test("groups are added by status and by day; a sum that no record has stays unknown", () => {
  assert.deepEqual(byStatus(summary), [
    { key: "PAID", count: 3, amount: "300", amountPaid: "300" }, { key: "PENDING", count: 3, amount: "300", amountPaid: null },
  ]);
  assert.deepEqual(byDay(summary), [
    { key: "2026-11-22", count: 3, amount: "300", amountPaid: "200" }, { key: "2026-11-23", count: 3, amount: "300", amountPaid: "100" },
  ]);
  assert.equal(hasAllGroups(summary), true);
  assert.equal(hasAllGroups({ ...summary, count: 7 }), false);
});

test("a net amount is not known by status or day if it is not for one of the groups with payments", () => {
  const groups = [
    { ...group("2026-11-22", "PAID", 1, "9", "9"), netAmount: "8" }, { ...group("2026-11-23", "PAID", 1, "9", "9"), netAmount: null },
    { ...group("2026-11-22", "PENDING", 1, "9", null), netAmount: null }, { ...group("2026-11-23", "BLOCKED", 1, "9", "9"), netAmount: "7" },
  ];
  assert.deepEqual(byStatus({ ...summary, groups }).map(({ key, netAmount }) => [key, netAmount]), [["PAID", null], ["BLOCKED", "7"], ["PENDING", null]]);
  assert.deepEqual(byDay({ ...summary, groups }).map(({ netAmount }) => netAmount), ["8", null]);
});

test("payments that were returned by dispute or are blocked are known by their status", () => {
  const groups = [
    group("2026-11-22", "INFRACTION", 1, "9", "9"), { ...group("2026-11-23", "INFRACTION", 2, "20", "20"), refundAmount: "5" },
    group("2026-11-22", "BLOCKED", 1, "9", null), group("2026-11-22", "PAID", 1, "9", "9"),
  ];
  assert.deepEqual(notKept({ ...summary, groups }), { returned: "24", blocked: null });
  const refunded = { ...group("2026-11-24", "INFRACTION", 1, "9", "9"), refundAmount: "50" };
  assert.deepEqual(notKept({ ...summary, groups: [...groups, refunded] }), { returned: "24", blocked: null });
  assert.deepEqual(notKept({ ...summary, groups: [refunded] }), { returned: null, blocked: null });
});

test("the statuses to filter by are those of the schema", () => {
  for (const [kind, name] of [["deposits", "DepositStatus"], ["withdrawals", "WithdrawalStatus"]] as const) {
    const type = schema.getType(name);
    assert.ok(isEnumType(type));
    assert.deepEqual([...statusesOf[kind], "UNKNOWN"].sort(), type.getValues().map((value) => value.name).sort());
  }
});

test("the operations are valid", () => {
  for (const kind of ["deposits", "withdrawals"] as const) {
    const page = pageQuery(rowsOf({ ...route, kind }));
    const dates = ["createdAt", "refundDate", kind === "deposits" ? "paymentDate" : "processedDate"];
    const files = (["pt", "schema"] as const).map((headers) => fileQuery(kind, headers));
    for (const text of [page, sumsQuery(kind), countQuery(kind), ...files, ...dates.map((date) => matchingQuery(kind, date))]) {
      assert.deepEqual(validate(schema, parse(text)).map(({ message }) => message), [], text);
    }
  }
});

test("a filter has the days of Brasília, and the status if the API has it", () => {
  assert.deepEqual(filterOf(route), { startDate: "2026-11-23T03:00:00.000Z", endDate: "2026-11-24T02:59:59.999Z" });
  assert.deepEqual(filterOf({ ...route, status: "PAID" })["status"], ["PAID"]);
  assert.equal("status" in filterOf({ ...route, status: "UNKNOWN" }), false);
  assert.deepEqual(wideFilterOf(route), { startDate: "2026-11-23T02:59:59.000Z", endDate: "2026-11-24T03:00:01.000Z" });
});

test("payments of a day are searched among records that were created in the days before", () => {
  const paid: ListRoute = { ...route, dayOf: "payment" };
  assert.equal(createdSince(paid), "2026-11-16");
  assert.equal(createdSince({ ...paid, createdBefore: 90 }), "2026-08-25");
  const { filter, ...others } = sumsVariables(paid);
  assert.deepEqual(filter, { startDate: "2026-11-16T02:59:59.000Z", endDate: "2026-11-24T03:00:01.000Z" });
  assert.deepEqual(others, { dayOf: "PAYMENT_DATE", fromDay: "2026-11-23", toDay: "2026-11-23" });
  assert.deepEqual(sumsVariables({ ...paid, status: "PAID" })["filter"], { ...filter as object, status: ["PAID"] });
  assert.equal(sumsVariables({ ...paid, kind: "withdrawals" })["dayOf"], "PROCESSED_DATE");
});

test("the URL of a list says which date its days are of", () => {
  for (const [dayOf, createdBefore, href] of [
    [undefined, undefined, "#/deposits/2026-11-23"], ["payment", undefined, "#/deposits/2026-11-23?by=payment"],
    ["refund", 90, "#/deposits/2026-11-23?by=refund&before=90"],
  ] as const) {
    const of = { ...route, ...(dayOf && { dayOf }), ...(createdBefore && { createdBefore }) };
    assert.equal(hrefOf(of), href);
    assert.deepEqual(routeOf(href), of);
  }
  assert.deepEqual(routeOf("#/deposits/2026-11-23?by=other&before=9"), route);
});

test("a count that contradicts a page is recognized", () => {
  const page = (change: Partial<Page<unknown>>): Page<unknown> => ({
    nodes: Array(50).fill(null), totalCount: 412, currentPage: 2, perPage: 50, pageInfo: { hasNextPage: true }, ...change,
  });
  assert.equal(countsAgree(page({})), true);
  assert.equal(countsAgree(page({ nodes: Array(12).fill(null), currentPage: 9, pageInfo: { hasNextPage: false } })), true);
  assert.equal(countsAgree(page({ nodes: [], totalCount: 0, currentPage: 1, pageInfo: { hasNextPage: false } })), true);
  for (const change of [{ totalCount: 30 }, { nodes: Array(49).fill(null) }, { pageInfo: { hasNextPage: false } }]) {
    assert.equal(countsAgree(page(change)), false, JSON.stringify(change).slice(0, 60));
  }
});

test("a date without an offset has no day, and one with an offset in any form has one", () => {
  assert.equal(dayOfDate("2026-11-24T02:59:59.999Z"), "2026-11-23");
  assert.equal(dayOfDate("2026-11-24T00:30:00-03:00"), "2026-11-24");
  for (const text of ["2026-11-24T02:59:59.999+0000", "2026-11-23T23:59-03", "2026-11-23 23:59:59-03:00", "2026-11-23t12:00:00z"]) {
    assert.equal(dayOfDate(text), "2026-11-23", text);
  }
  for (const text of ["2026-11-24T00:30:00", "2026-11-24", "2026-11-31T12:00:00Z", "#N/A", ""]) assert.equal(dayOfDate(text), null);
});
