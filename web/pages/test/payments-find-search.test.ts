import assert from "node:assert/strict";
import { test } from "node:test";
import type { Search } from "../src/payments/find/search.ts";
import type { Span } from "../src/payments/find/span.ts";
import { saidOf } from "../src/payments/find/said.ts";
import { find } from "../src/payments/words/find.ts";
import { deposit, isDeposits, notFound, page, searchOf, uuid } from "./searching.ts";

const steps = (search: Search) =>
  search.state.get().steps.map(({ state, read, found, pages, more, unreachable }) => ({ state, read, found, pages, more, unreachable }));

test("the only record with an id is opened at once, and nothing else is read", async () => {
  const { search, asked, opened } = searchOf(() => ({
    data: { transaction: { id: uuid }, withdrawal: null, notification: null, key0: { normalized: uuid, problems: [] } },
    errors: notFound("withdrawal", "notification"),
  }));
  await search.find(uuid, { choice: "recent" });
  assert.deepEqual(opened, [{ view: "transaction", id: uuid }]);
  assert.equal(asked.length, 1);
  assert.equal(asked[0]?.query.includes(uuid), false, "the text is a variable");
  assert.equal(search.state.get().running, false);
});

test("records of two kinds with the same id are shown, not opened", async () => {
  const { search, opened } = searchOf((query) => (query.includes("list:") ? page([]) : { data: { transaction: { id: uuid }, withdrawal: { id: uuid } } }));
  await search.find(uuid, { choice: "recent" });
  assert.deepEqual(opened, []);
  const { transaction, withdrawal } = search.state.get().hits;
  assert.deepEqual([transaction?.id, withdrawal?.id], [uuid, uuid]);
});

test("a deposit without a transaction is found by its id among those of the days", async () => {
  const { search, asked } = searchOf((query) => {
    if (isDeposits(query)) return page([null, deposit("other"), deposit(uuid)]);
    if (query.includes("list:")) return page([]);
    return { data: { key0: { normalized: uuid, problems: [] } }, errors: notFound("transaction", "withdrawal", "notification") };
  });
  await search.find(uuid, { choice: "recent" });
  assert.deepEqual(search.state.get().found.deposits.map(({ id }) => id), [uuid]);
  const { filter } = asked.find(({ query }) => isDeposits(query))?.variables ?? {};
  assert.deepEqual(filter, { startDate: "2026-11-25T03:00:00.000Z", endDate: "2026-11-27T02:59:59.999Z" });
  const [last] = search.state.get().steps.slice(-1);
  assert.deepEqual([last?.read, last?.found, last?.invalid], [3, 1, 1]);
});

test("an EndToEndId is searched around its minute, and no further once it was found", async () => {
  const endToEnd = "E60746948202611260058kSER8TSz41G";
  const { search, asked } = searchOf((query) => page(isDeposits(query) ? [deposit("a", { endToEnd })] : []));
  await search.find(endToEnd, { choice: "week" });
  const ranges = asked.filter(({ query }) => isDeposits(query)).map(({ variables }) => variables.filter);
  assert.deepEqual(ranges, [{ startDate: "2026-11-26T00:28:00.000Z", endDate: "2026-11-26T01:03:00.000Z" }]);
  assert.deepEqual(search.state.get().steps.map(({ state }) => state), ["read", "read", "read", "skipped", "skipped"]);
  assert.equal(search.besides("earlier"), null);
});

test("an EndToEndId is of the minute of the order, and its deposit may be created half a day later, or on the chosen days", async () => {
  const endToEnd = "E60701190202611240240kSER8TSz41G"; // 23:40 on the day before
  const daysAsked = async (span: Span) => {
    const { search, asked } = searchOf((query, { filter }) => {
      const isLater = String(filter?.["startDate"]) <= "2026-11-24T03:10" && String(filter?.["endDate"]) >= "2026-11-24T03:10";
      return page(isDeposits(query) && isLater ? [deposit("a", { endToEnd, createdAt: "2026-11-24T03:10:00Z" })] : []);
    });
    await search.find(endToEnd, span);
    assert.deepEqual(search.state.get().found.deposits.map(({ id }) => id), ["a"]);
    return asked.filter(({ query }) => isDeposits(query)).length;
  };
  assert.equal(await daysAsked({ choice: "recent" }), 2);
  const { search, asked } = searchOf(() => page([]));
  await search.find(endToEnd, { choice: "range", days: { from: "2026-11-01", to: "2026-11-10" } });
  const ranges = () => asked.filter(({ query }) => isDeposits(query)).map(({ variables: { filter } }) => {
    return ["startDate", "endDate"].map((date) => String(filter?.[date]).slice(0, 13));
  });
  assert.deepEqual(ranges().slice(1), [["2026-11-22T03", "2026-11-25T02"], ["2026-11-01T03", "2026-11-11T02"]]);
  assert.deepEqual([search.besides("earlier"), search.besides("later")], [{ from: "2026-10-25", to: "2026-10-31" }, { from: "2026-11-25", to: "2026-11-26" }]);
  await search.further("later");
  assert.deepEqual(ranges().at(-1), ["2026-11-25T03", "2026-11-27T02"]);
  assert.equal(search.besides("later"), null, "it is today");
});

test("what is not found can be searched further back, a week at a time", async () => {
  const { search, asked } = searchOf(() => page([]));
  await search.find("R$ 51,70", { choice: "day", day: "2026-11-20" });
  await search.further();
  await search.further();
  const days = asked.filter(({ query }) => isDeposits(query)).map(({ variables }) => String(variables.filter?.["startDate"]).slice(0, 10));
  assert.deepEqual(days, ["2026-11-20", "2026-11-13", "2026-11-06"]);
  assert.deepEqual(search.besides("earlier"), { from: "2026-10-30", to: "2026-11-05" });
});

test("an amount beyond the filter of the API is compared here", async () => {
  const { search, asked } = searchOf((query) => page(isDeposits(query) ? [deposit("a", { amount: 13_000_000 }), deposit("b", { amount: 10_000_000 })] : []));
  await search.find("130.000,00", { choice: "recent" });
  assert.deepEqual(search.state.get().found.deposits.map(({ id }) => id), ["a"]);
  assert.deepEqual([asked[0]?.variables.filter?.["minAmount"], asked[0]?.variables.filter?.["maxAmount"]], [10_000_000, undefined]);
  await search.find("0,05", { choice: "recent" });
  const [deposits, withdrawals] = asked.slice(2).map(({ variables }) => [variables.filter?.["minAmount"], variables.filter?.["maxAmount"]]);
  assert.deepEqual([deposits, withdrawals], [[5, 5], [undefined, 10]]);
});

test("a list is read to its end, with what was found as it comes, and the headline says what is not read", async () => {
  let isBroken = true;
  const { search, asked } = searchOf((query, variables) => {
    if (!isDeposits(query)) return page([]);
    if (variables.page === 201 && isBroken) throw new Error("away");
    return page([deposit(String(variables.page)), null], 220, variables.page);
  });
  const seen: number[] = [];
  search.state.watch(() => seen.push(search.state.get().found.deposits.length));
  const said = () => saidOf(search.state.get(), search.state.get().found.deposits.length, find.en, "en-GB");
  await search.find("51,70", { choice: "lastMonth" });
  assert.equal(said(), "200 records found. Not everything was read: 400 of 440 records.");
  isBroken = false;
  await search.again();
  assert.equal(said(), "220 records found.");
  assert.deepEqual(steps(search)[0], { state: "read", read: 440, found: 220, pages: 220, more: false, unreachable: false });
  const pages = asked.filter(({ query }) => isDeposits(query)).map(({ variables }) => variables.page);
  assert.deepEqual(pages, Array.from({ length: 221 }, (_, index) => (index < 201 ? index + 1 : index)), "only the failed page is read again");
  assert.ok(seen.includes(1) && seen.includes(150));
});

test("a Pix code is read by the gateway, which says that its end is missing", async () => {
  const text = "00020101021226770014BR.GOV.BCB.PIX2555pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a99520400005303986";
  const { search, asked } = searchOf((query) => {
    if (isDeposits(query)) return page([deposit("a", { pixResponse: { uri: `${text}5802BR5906EMPRESA6009SAO PAULO63041234` } }), deposit("b")]);
    return query.includes("list:") ? page([]) : { data: { code: { crc: "MISSING", amount: null, merchantName: "EMPRESA", url: null } } };
  });
  await search.find(`Pix Copia e Cola:\n${text}`, { choice: "recent" });
  assert.equal(asked[0]?.variables["code"], text);
  const { brCode } = search.state.get().meanings ?? {};
  assert.deepEqual(brCode, { text, cents: null, name: "EMPRESA", url: null, fault: "cut" });
  assert.deepEqual([...search.state.get().found.reasons.values()].map(({ doubt }) => doubt), ["codeStart"]);
  assert.equal(saidOf(search.state.get(), 1, find.en, "en-GB"), "1 possible match found.");
});

test("without paging parameters the first page is read, in the size of the API", async () => {
  const { search, asked } = searchOf(() => page([deposit("a")], 3), { pageNumber: false, pageSize: false });
  await search.find("51,70", { choice: "recent" });
  assert.deepEqual(Object.keys(asked[0]?.variables ?? {}), ["filter", "counted"]);
  assert.deepEqual(steps(search)[0], { state: "read", read: 1, found: 1, pages: 1, more: false, unreachable: true });
});

test("a new search ends the one before", async () => {
  let release = () => {};
  const { search, asked } = searchOf((_query, { filter }) => {
    if (filter?.["minAmount"] !== 5170) return page([]);
    return new Promise((resolve) => { release = () => resolve(page([deposit("old")])); });
  });
  const first = search.find("51,70", { choice: "recent" });
  while (asked.length === 0) await new Promise(setImmediate);
  await search.find("99,99", { choice: "recent" });
  assert.equal(asked[0]?.signal?.aborted, true);
  release();
  await first;
  assert.deepEqual(search.state.get().found.deposits, []);
  assert.equal(search.state.get().entered, "99,99");
  search.clear();
  assert.deepEqual([search.state.get().entered, search.state.get().meanings], ["", null]);
});

test("a stopped search keeps what was found, and continues where it was", async () => {
  let release = () => {};
  const { search, asked } = searchOf((query, { page: number }) => {
    if (!isDeposits(query)) return page([]);
    if (number !== 2 || asked.filter(({ variables }) => variables.page === 2).length > 1) return page([deposit(String(number))], 2, number);
    return new Promise((resolve) => { release = () => resolve(page([deposit("late")], 2, 2)); });
  });
  const finding = search.find("Raimundo", { choice: "recent" });
  while (!asked.some(({ variables }) => variables.page === 2)) await new Promise(setImmediate);
  search.halt();
  release();
  await finding;
  assert.equal(search.state.get().running, false);
  assert.deepEqual(steps(search).map(({ state, pages }) => [state, pages]), [["read", 1], ["stopped", 1], ["stopped", 0]]);
  const [, deposits, withdrawals] = search.state.get().steps;
  await search.continue(deposits?.id ?? 0);
  await search.continue(withdrawals?.id ?? 0);
  assert.deepEqual(steps(search).map(({ state, pages }) => [state, pages]), [["read", 1], ["read", 2], ["read", 1]]);
});

test("what is stopped further back can be continued, and is not searched twice", async () => {
  const { search, asked } = searchOf((query) => (asked.length > 2 && isDeposits(query) ? new Promise(() => {}) : page([])));
  const rangeOf = () => search.besides("earlier");
  await search.find("51,70", { choice: "recent" });
  assert.deepEqual(rangeOf(), { from: "2026-11-18", to: "2026-11-24" });
  void search.further();
  search.halt();
  assert.deepEqual(steps(search).map(({ state }) => state), ["read", "read", "stopped", "stopped"]);
  assert.deepEqual(rangeOf(), { from: "2026-11-11", to: "2026-11-17" });
  void search.find("51,70", { choice: "recent" });
  while (asked.length < 4) await new Promise(setImmediate);
  search.halt();
  assert.deepEqual(rangeOf(), { from: "2026-11-18", to: "2026-11-24" }, "also of a search that was stopped at its first list");
});

test("payments of an amount are found if none has the name", async () => {
  const { search } = searchOf((query) => page(isDeposits(query) ? [deposit("a", { payer: { name: "Maria Alves" } })] : []));
  const stateOf = () => steps(search).map(({ state, found }) => [state, found]);
  await search.find("51,70 ontem de manhã", { choice: "recent" });
  assert.deepEqual(stateOf(), [["read", 0], ["read", 0], ["read", 1], ["read", 0]]);
  assert.equal(saidOf(search.state.get(), 1, find.en, "en-GB"), "1 possible match found.");
  await search.find("51,70 de Maria", { choice: "recent" });
  assert.deepEqual(stateOf(), [["read", 1], ["read", 0], ["skipped", 0], ["skipped", 0]]);
  assert.equal(saidOf(search.state.get(), 1, find.en, "en-GB"), "1 record found.");
});

test("withdrawals are also read for an EndToEndId in small letters, which the filter of the API may not find", async () => {
  const endToEnd = "E18236120202611261452ABCDEFGHIJK";
  const isExact = (filter = {}) => "endToEnd" in filter || "endToEndRefund" in filter;
  const { search } = searchOf((query, { filter }) => page(isDeposits(query) || isExact(filter) ? [] : [deposit("a", { endToEnd })]));
  await search.find(`id ${endToEnd.toLowerCase()}`, { choice: "recent" });
  assert.deepEqual(search.state.get().found.withdrawals.map(({ id }) => id), ["a"]);
});

test("without counts of the API, pages are read until one is not full, and the counts are requested once", async () => {
  const { search, asked } = searchOf((query, { counted, page: number }) => {
    if (!isDeposits(query)) return page([]);
    if (counted) return { data: { list: null }, errors: [{ message: "no total", path: ["list", "totalCount"] }] };
    return { data: { list: { nodes: [deposit(String(number))], pageInfo: { hasNextPage: number === 1 } } } };
  });
  await search.find("51,70", { choice: "recent" });
  assert.deepEqual(asked.filter(({ query }) => isDeposits(query)).map(({ variables: { page: number, counted } }) => [number, counted]).slice(0, 3), [
    [1, true], [1, false], [2, false],
  ]);
  assert.deepEqual(steps(search)[0], { state: "read", read: 2, found: 2, pages: 2, more: false, unreachable: false });
  assert.equal(search.state.get().steps[0]?.total, null);
});

test("the pages after an empty one are searched too", async () => {
  const { search } = searchOf((query, { page: number }) => {
    if (!isDeposits(query)) return page([]);
    return page(number === 2 ? [] : [deposit(String(number))], 3, number);
  });
  await search.find("51,70", { choice: "recent" });
  assert.deepEqual(steps(search)[0], { state: "read", read: 2, found: 2, pages: 3, more: false, unreachable: false });
});

test("a count that was missing once is requested for other lists, and again with the next first page", async () => {
  let bad = true;
  const { search } = searchOf((query, { counted }) => {
    if (bad && isDeposits(query) && counted) return { data: { list: null }, errors: [{ message: "no total", path: ["list", "totalCount"] }] };
    const { data } = page([deposit("1")]);
    return { data: { list: { ...data.list, ...(!counted && { totalCount: undefined }) } } };
  });
  const totals = () => search.state.get().steps.map(({ total }) => total);
  await search.find("51,70", { choice: "recent" });
  assert.deepEqual(totals(), [null, 1]);
  bad = false;
  await search.find("51,70", { choice: "recent" });
  assert.deepEqual(totals(), [1, 1]);
});
