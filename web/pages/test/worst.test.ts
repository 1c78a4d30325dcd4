import assert from "node:assert/strict";
import { test } from "node:test";
import { worstCase } from "../src/waterfall/worst.ts";
import { schema } from "./schema.ts";

const costOf = (query: string, variables: unknown = {}) => worstCase(schema, { query, operationName: null, variables: JSON.stringify(variables) });

/** A field with many aliases. */
const numbered = (count: number, field: string) => Array.from({ length: count }, (_, n) => `a${n}: ${field}`).join(" ");

// As in TestCost of graph/guard/limits.
for (const [name, calls, query, variables] of [
  ["no calls", 0, "{ __typename __schema { types { name } } }"],
  ["a list", 1, "{ deposits { nodes { id payer { name } } edges { node { amount } } } }"],
  ["a list after a cursor", 2, '{ deposits(after: "x") { totalCount } }'],
  ["a null cursor", 1, "query ($c: String) { withdrawals(after: $c) { totalCount } }"],
  ["a cursor in a variable", 2, "query ($c: String) { withdrawals(after: $c) { totalCount } }", { c: "x" }],
  ["one id for a list", 1, '{ transactions(ids: "a") { id } }'],
  ["ids in a variable", 3, "query ($ids: [ID!]!) { notifications(ids: $ids) { id } }", { ids: ["a", "b", "c"] }],
  ["no ids", 0, "query ($ids: [ID!]!) { transactions(ids: $ids) { notifications { links { state } } } }", { ids: [] }],
  ["links back to transactions", 1 + 50 + 50 + 50 * 50,
    "{ transaction(id: 1) { notifications { nodes { transaction { notifications { links { state } } } } } } }"],
  ["the records of notifications", 4, "query ($ids: [ID!]!) { notifications(ids: $ids) { transaction { id } } }", { ids: ["a", "b"] }],
  ["merged fields", 51, "{ transaction(id: 1) { id } ...f ...f } fragment f on Query { transaction(id: 1) { notifications { links { state } } } }"],
  ["what is skipped", 1, "query ($no: Boolean!) { a: transaction(id: 1) @include(if: $no) { id } b: transaction(id: 1) @skip(if: $no) { id } }", { no: false }],
  ["pages of sums", 100, "{ depositSummary { count } }"],
  ["some pages of sums", 7, "query ($n: Int = 7) { depositSummary(maxPages: $n) { count groups { day } } }"],
  ["a subscription", 1 + 50, "subscription { transaction(id: 1) { notifications { links { state } } } }"],
  ["a missing variable", null, "query ($ids: [ID!]!) { transactions(ids: $ids) { id } }"],
  ["an unknown field", null, "{ deposits { nothing } }"],
  ["a syntax error", null, "{ deposits"],
  ["a fragment that contains itself", null, "{ transaction(id: 1) { ...f } } fragment f on Transaction { notifications { nodes { transaction { ...f } } } }"],
  ["a text that is too long", null, `{ __typename } ${"#".repeat(32_768)}`],
  ["too many fields", null, `{ ${numbered(100, "deposits { nodes { ...f } }")} } fragment f on Deposit { ${numbered(60, "id")} }`],
] as const) {
  test(`the worst case of an operation with ${name}`, () => assert.equal(costOf(query, variables), calls));
}
