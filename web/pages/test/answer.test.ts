import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { buildSchema } from "graphql";
import { answered, figuresOf, fold, resultOf } from "../src/operations/answered.ts";
import { Answers } from "../src/live/answers.ts";
import { curlOf } from "../src/operations/curl.ts";
import { selectedFields, type SelectedFields } from "../src/operations/fields.ts";
import { tablesOf } from "../src/answer/tables.ts";
import { Stream } from "../src/live/stream.ts";
import { findPreviews } from "../src/preview/find.ts";

const schema = buildSchema(`
  scalar Cents
  type Query { deposits: Page, node: Node }
  type Page { nodes: [Deposit] }
  interface Node { id: ID }
  type Deposit implements Node { id: ID, amount: Cents }
`);

/** An operation without a name. */
const asked = (query: string) => ({ query, operationName: null });

/** The paths of the amounts in a selection. */
const cents = (selected: SelectedFields) => [...selected].filter(([, { type }]) => type === "Cents").map(([path]) => path).sort();

test("fields are found by their type, under aliases and in fragments", () => {
  const query = `query A { mine: deposits { nodes { ...F sum: amount } } node { ... on Deposit { amount } } unknown { amount } }
    fragment F on Deposit { id amount }`;
  const selected = selectedFields(schema, asked(query));
  assert.deepEqual(cents(selected), ["mine.nodes.amount", "mine.nodes.sum", "node.amount"]);
  assert.deepEqual(selected.get("mine"), { name: "deposits", type: "Page" });
  assert.deepEqual(selected.get("mine.nodes.sum"), { name: "amount", type: "Cents" });
});

test("only the fields of the operation that was run are found", () => {
  const query = "query A { a: deposits { nodes { id } } } query B { a: node { id } }";
  for (const [operationName, name] of [["A", "deposits"], ["B", "node"]] as const) {
    assert.equal(selectedFields(schema, { query, operationName }).get("a")?.name, name);
  }
});

test("fragments that contain themselves, and a document that cannot be parsed, end", () => {
  const query = "{ node { ...F ...F } } fragment F on Node { id ...F ...F }";
  assert.deepEqual([...selectedFields(schema, asked(query)).keys()], ["node", "node.id"]);
  assert.equal(selectedFields(schema, asked("{")).size, 0);
  assert.equal(selectedFields(null, asked("{ deposits { nodes { amount } } }")).size, 0);
});

test("lists, single records and errors are tables", () => {
  const answer = {
    data: {
      deposits: { totalCount: 2, nodes: [{ id: "a", amount: 5170, payer: null }, { id: "b", amount: 1, payer: { name: "Ana" } }, null] },
      transaction: { id: "t", statusHistory: [{ status: "PAID" }], tags: ["x", "y"], metadata: {} },
      missing: null,
    },
    errors: [{ message: "not found", path: ["deposits", "nodes", 2], extensions: { code: "NOT_FOUND" } }],
  };
  const tables = tablesOf(answer, new Map([["deposits.nodes.amount", { name: "amount", type: "Cents" }]]));
  assert.deepEqual(tables.map(({ path }) => path), ["deposits", "deposits.nodes", "transaction", "transaction.statusHistory", "missing", "errors"]);
  const [counts, deposits, transaction, , missing, errors] = tables;
  assert.deepEqual(counts?.rows.map(({ name, cells }) => [name, cells[0]?.value]), [["totalCount", "2"]]);
  assert.deepEqual(deposits?.columns, ["id", "amount", "payer.name"]);
  assert.deepEqual(deposits?.rows.map(({ cells }) => cells.map((cell) => cell?.value)), [
    ["a", "5170", "null"], ["b", "1", "Ana"], ["null", "null", "null"],
  ]);
  assert.match(deposits?.rows[0]?.cells[1]?.local ?? "", /51,70/);
  assert.deepEqual(transaction?.rows.map(({ name, cells }) => [name, cells[0]?.short ?? cells[0]?.value]), [
    ["id", "t"], ["tags", "2 elements"], ["metadata", "{}"],
  ]);
  assert.equal(missing?.rows[0]?.cells[0]?.value, "null");
  assert.deepEqual(errors?.rows[0]?.cells.map((cell) => cell?.value), ["deposits.nodes.2", "not found", "NOT_FOUND"]);
});

test("what is not shown of a large answer is counted", () => {
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, n]));
  const tables = tablesOf({ data: { list: Array(600).fill(1), wide: [wide], text: "no record" } }, new Map());
  assert.deepEqual(tables.map(({ rows, omitted }) => [rows.length, omitted]), [[500, 100], [1, 40], [1, 0]]);
  assert.deepEqual(tablesOf("text", new Map()), []);
});

test("free-form JSON of any size and depth is shown in bounded time and memory", () => {
  const fields = (row: number) => Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`f${row}.${n}`, n]));
  const lists = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`l${n}`, [{ a: 1 }]]));
  let deep: unknown = 1;
  for (let level = 0; level < 4000; level++) deep = { a: deep };
  const tables = tablesOf({ data: { list: Array.from({ length: 100 }, (_, row) => fields(row)), lists, deep } }, new Map());
  assert.deepEqual(tables.slice(0, 2).map(({ columns, omitted }) => [columns.length, omitted]), [[60, 40_000 - 60], [0, 150]]);
  assert.equal(tables.length, 1 + 1 + 50 + 1);
  assert.equal(tables.at(-1)?.rows[0]?.name, Array(20).fill("a").join("."));
  assert.ok((tables.at(-1)?.rows[0]?.cells[0]?.short?.length ?? 0) > 0);
  assert.deepEqual(findPreviews({ deep }, new Map()), { groups: [], omitted: 0 });
});

test("base64 is folded in what GraphiQL shows, and whole in what is copied", () => {
  const image = `data:image/png;base64,${"A".repeat(400)}=`;
  const answers = new Answers();
  const kept = answered({ data: { image } }, asked("{ a }"), "");
  answers.add(kept);
  const text = JSON.stringify(resultOf(kept), null, 2);
  assert.ok(!text.includes(image));
  for (const shown of [text, kept.text]) assert.deepEqual(answers.of(shown), { answered: kept, stream: null });
  assert.ok(kept.text.includes(image));
  assert.equal(answers.of("another"), null);
  for (const short of ["A".repeat(100), "not base64 ".repeat(40)]) assert.equal(fold(short), short);
});

test("the figures of an answer are its status, duration and size", () => {
  assert.equal(figuresOf(200, 12.4, "ç".repeat(100)), "Status 200 · 12 ms · 200 B");
});

test("the newest twenty answers are kept", () => {
  const answers = new Answers();
  for (let n = 0; n < 25; n++) answers.add(answered({ data: n }, asked(""), String(n)));
  const kept = Array.from({ length: 25 }, (_, n) => answers.of(JSON.stringify({ data: n }, null, 2))).filter((answer) => answer !== null);
  assert.equal(kept.length, 20);
  assert.equal(kept[0]?.answered.figures, "5");
});

test("the events of a subscription are found as answers, and its amounts by its own type", () => {
  const live = buildSchema("scalar Cents type Query { a: Int } type Subscription { payment: Payment } type Payment { amount: Cents }");
  assert.deepEqual(cents(selectedFields(live, asked("subscription { payment { amount } }"))), ["payment.amount"]);
  const stream = new Stream(asked("subscription { a }"));
  const event = stream.add({ data: { a: 1 } }, "{}");
  const answers = new Answers();
  answers.add(stream);
  assert.deepEqual(answers.of(event.text), { answered: event, stream });
  const command = curlOf("u", { query: "subscription { a }", operationName: null, variables: "", headers: "" });
  assert.match(command, /^curl -sSN 'u'/);
  assert.match(command, /-H 'Accept: text\/event-stream'/);
});

test("a shell runs the curl command as it is meant, without the user's token", () => {
  const content = {
    query: "query A($a: Int) { a(b: \"it's $HOME `id`\", c: \"\\\\\") }", operationName: "A",
    variables: '{ "a": 9223372036854775807, "b": "\'; id #" }',
    headers: JSON.stringify({ authorization: "Basic secret", "X-Token": "eyJh.secret", "X-Mine": "it's" }),
  };
  const command = curlOf("http://127.0.0.1:1/it's/graphql", content);
  assert.ok(!command.includes("secret"));
  // Prints the arguments that curl would get, one a line.
  const shown = execFileSync("sh", ["-c", `curl() { for word; do printf '%s\\0' "$word"; done; }; TOKEN=t; ${command}`], { encoding: "utf8" });
  const words = shown.split("\0").slice(0, -1);
  assert.deepEqual(words.slice(0, -1), [
    "-sS", "http://127.0.0.1:1/it's/graphql", "-H", "Authorization: Bearer t", "-H", "Content-Type: application/json", "-H", "X-Mine: it's",
    "--data-raw",
  ]);
  const body = words.at(-1) ?? "";
  assert.ok(body.includes('"a": 9223372036854775807'));
  assert.equal((JSON.parse(body) as { query: string }).query, content.query);
});

test("variables and headers that are not objects are refused", () => {
  const content = { query: "{ a }", operationName: null, variables: "", headers: "" };
  assert.match(curlOf("u", content), /--data-raw '\{"query":"\{ a \}"\}'$/);
  for (const variables of ["{", "[]", "1"]) assert.throws(() => curlOf("u", { ...content, variables }), /The variables are not a JSON object/);
  assert.throws(() => curlOf("u", { ...content, headers: "x" }), /The headers are not/);
});
