import assert from "node:assert/strict";
import { test } from "node:test";
import { operationToRun } from "../src/operations/name.ts";

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
