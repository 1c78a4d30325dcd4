import assert from "node:assert/strict";
import { test } from "node:test";
import { operationToRun } from "../src/operations/name.ts";

for (const [name, document, asked, run] of [
  ["the one of the name", "query A { a } query B { b }", "B", "B"],
  ["the only one, where the name is another tab's", "query A { a }", "B", "A"],
  ["the only one, which has no name", "{ a }", "B", null],
  ["the gateway's answer, where there are several", "query A { a } query B { b }", "C", "C"],
  ["the gateway's answer, to what cannot be read", "query A {", "A", "A"],
  ["the only one, without a name asked for", "query A { a }", null, "A"],
] as const) {
  test(name, () => assert.equal(operationToRun(document, asked), run));
}
