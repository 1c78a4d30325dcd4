import assert from "node:assert/strict";
import { test } from "node:test";
import { deposit, isDeposits, page, searchOf, uuid } from "./searching.ts";

test("a mistyped EndToEndId is searched around its minute, until one that differs in a character was found", async () => {
  const [endToEnd, other] = ["E60746948202611260058kSER8TSz41G", "E60746948202611260051000000000000"];
  const pages = [[deposit("start", { endToEnd: other })], [deposit("edit", { endToEnd }), deposit("none")]];
  const { search } = searchOf((query) => page(isDeposits(query) ? pages.shift() ?? [] : []));
  await search.find(endToEnd.slice(0, -1), { choice: "recent" });
  const { found, steps: tried, searched } = search.state.get();
  assert.deepEqual(Object.fromEntries([...found.reasons].map(([key, { doubt }]) => [key, doubt])), { "deposits start": "start", "deposits edit": "edit" });
  assert.deepEqual(tried.map(({ state }) => state), ["read", "read", "read", "read", "skipped"]);
  assert.equal(searched, null);
});

test("an EndToEndId is not found by one that differs in a character", async () => {
  const endToEnd = "E60746948202611260058kSER8TSz41G";
  const { search } = searchOf((query) => page(isDeposits(query) ? [deposit("a", { endToEnd: endToEnd.replace("G", "H") })] : []));
  await search.find(endToEnd, { choice: "recent" });
  assert.deepEqual(search.state.get().steps.map(({ state }) => state), ["read", "read", "read", "read"]);
  assert.equal(search.state.get().found.reasons.get("deposits a")?.doubt, "edit");
});

test("an amount with a name is that of the filter, and compared with the name", async () => {
  const nodes = [deposit("a", { payer: { name: "Raimundo Carvalho" } }), deposit("b", { payer: { name: "Maria" } })];
  const { search, asked } = searchOf((query) => page(isDeposits(query) ? nodes : []));
  await search.find("51,70 raimundo", { choice: "recent" });
  assert.deepEqual(search.state.get().found.deposits.map(({ id }) => id), ["a"]);
  assert.deepEqual(asked.map(({ variables }) => variables.filter?.["minAmount"]), [5170, 5170]);
});

test("deposits and withdrawals are searched by a part of an id", async () => {
  const { search } = searchOf((query) => page(isDeposits(query) ? [deposit(uuid), deposit("b")] : [deposit(uuid)]));
  await search.find("f2dc7925…e9fc", { choice: "recent" });
  const { deposits, withdrawals } = search.state.get().found;
  assert.deepEqual([deposits.map(({ id }) => id), withdrawals.map(({ id }) => id)], [[uuid], [uuid]]);
});
