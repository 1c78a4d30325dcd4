import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../src/payments/gateway.ts";
import { saidOf } from "../src/payments/find/said.ts";
import type { Search } from "../src/payments/find/search.ts";
import { commonError, isInterrupted, type Step } from "../src/payments/find/step.ts";
import { find } from "../src/payments/words/find.ts";
import { deposit, isDeposits, notFound, page, searchOf, uuid } from "./searching.ts";

const steps = (search: Search) => search.state.get().steps.map(({ state, read, found }) => ({ state, read, found }));

test("steps that failed for one reason are repeated together, and nothing further is searched before", async () => {
  let code: string | null = "UPSTREAM_UNAVAILABLE";
  const { search, asked } = searchOf((query) => {
    if (code === null) return page(isDeposits(query) ? [deposit("a")] : []);
    return { data: { list: null }, errors: [{ message: "down", extensions: { code } }] as never };
  });
  await search.find("51,70", { choice: "recent" });
  const failed = search.state.get().steps;
  assert.equal((commonError(failed) as Failure).code, "UPSTREAM_UNAVAILABLE");
  assert.equal(commonError(failed.slice(1)), null, "one that failed says why itself");
  const ofWebhooks = { ...failed[0], error: new Failure("", "UPSTREAM_UNAVAILABLE", null, { service: "dispatcher" }) } as Step;
  assert.equal(commonError([...failed, ofWebhooks]), null, "another API failed too");
  assert.equal(isInterrupted(failed), true);
  code = "FORBIDDEN";
  await search.again();
  assert.equal(isInterrupted(search.state.get().steps), false, "it would be forbidden later too");
  code = null;
  await search.again();
  assert.deepEqual(search.state.get().steps.map(({ state }) => state), ["read", "read"]);
  assert.deepEqual(search.state.get().found.deposits.map(({ id }) => id), ["a"]);
  assert.equal(asked.length, 6);
});

test("a step that waits to be repeated with the others is not read twice", async () => {
  let down = true;
  const { search, asked } = searchOf(() => {
    if (down) return { data: { list: null }, errors: [{ message: "down", extensions: { code: "UPSTREAM_UNAVAILABLE" } }] as never };
    return page([deposit("a")]);
  });
  await search.find("51,70", { choice: "recent" });
  down = false;
  await Promise.all([search.again(), search.again()]);
  assert.equal(asked.length, 4);
  assert.deepEqual(steps(search), [{ state: "read", read: 1, found: 1 }, { state: "read", read: 1, found: 1 }]);
});

test("if an id could not be looked up, the whole search is repeated", async () => {
  let down = true;
  const { search, opened } = searchOf((query) => {
    if (query.includes("list:")) return page([]);
    const code = down ? "UPSTREAM_UNAVAILABLE" : "NOT_FOUND";
    const errors = ["transaction", "withdrawal"].map((path) => ({ message: "", path: [path], extensions: { code } }));
    return down ? { errors } : { data: { transaction: { id: uuid } }, errors: errors.slice(1) };
  });
  await search.find(uuid, { choice: "recent" });
  down = false;
  await search.again();
  assert.deepEqual(opened, [{ view: "transaction", id: uuid }]);
});

test("of an id that was not found it is said where it was looked for", async () => {
  const { search } = searchOf((query) => {
    if (query.includes("list:")) return page([]);
    return { data: { key0: { normalized: uuid, problems: [] } }, errors: notFound("transaction", "withdrawal", "notification") };
  });
  await search.find(uuid, { choice: "recent" });
  const said = () => [saidOf(search.state.get(), 0, find.pt, "pt-BR"), saidOf(search.state.get(), 0, find.en, "en-GB")];
  const [pt = "", en = ""] = said();
  assert.equal(pt, "Nenhuma transação, saque ou webhook tem este ID. Depósitos foram procurados só de 25 a 26 de novembro de 2026.");
  assert.match(en, /^No transaction, withdrawal or webhook has this id. Deposits were searched only on 25\s*–\s*26 November 2026\.$/);
  await search.further();
  assert.match(said()[0] ?? "", /só de 18 a 26 de novembro de 2026\.$/);
  await search.find("51,70", { choice: "day", day: "2026-11-20" });
  assert.match(said()[0] ?? "", /^Nada foi encontrado no que foi consultado\./);
});

test("of a list with fewer records than the API counts it is said that only some were searched", async () => {
  const { search } = searchOf((query) => {
    if (query.includes("list:")) return { data: { list: { nodes: [], totalCount: 240, pageInfo: { hasNextPage: false } } } };
    return { data: { key0: { normalized: uuid, problems: [] } }, errors: notFound("transaction", "withdrawal", "notification") };
  });
  await search.find(uuid, { choice: "recent" });
  assert.match(saidOf(search.state.get(), 0, find.en, "en-GB"), /Of the deposits of 25\s*–\s*26 November 2026, only some were searched\.$/);
});

test("a failed step does not stop the others, and is repeated alone, from the page that failed", async () => {
  let down = true;
  const { search, asked } = searchOf((query, variables) => {
    if (!isDeposits(query)) return page([]);
    if (variables.page === 2 && down) return { data: { list: null }, errors: [{ message: "down", extensions: { code: "UPSTREAM_UNAVAILABLE" } }] as never };
    return page([deposit(String(variables.page))], 2, variables.page);
  });
  await search.find("51,70", { choice: "recent" });
  const [failed, other] = search.state.get().steps;
  assert.deepEqual([failed?.state, failed?.read, other?.state], ["failed", 1, "read"]);
  assert.deepEqual([(failed?.error as Failure).code, (failed?.error as Failure).requestId], ["UPSTREAM_UNAVAILABLE", "r"]);
  down = false;
  const before = asked.length;
  await search.continue(failed?.id ?? 0);
  assert.deepEqual(asked.slice(before).map(({ variables }) => variables.page), [2]);
  assert.deepEqual(steps(search)[0], { state: "read", read: 2, found: 2 });
});

test("if the gateway does not respond, the search is repeated as a whole", async () => {
  let down = true;
  const { search, opened } = searchOf(() => {
    if (down) throw new Failure("down", "NO_RESPONSE", null);
    return { data: { transaction: { id: uuid } }, errors: notFound("withdrawal", "notification") };
  });
  await search.find(uuid, { choice: "recent" });
  assert.ok(search.state.get().steps.every(({ state }) => state === "failed"));
  down = false;
  await search.continue(search.state.get().steps[0]?.id ?? 0);
  assert.equal(opened.length, 1);
});
