import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, validate } from "graphql";
import { details, newest } from "../src/operations/newest.ts";
import { schema } from "./schema.ts";

test("the operations of the panels are valid for the schema", () => {
  for (const document of [newest, details]) assert.deepEqual(validate(schema, parse(document)), []);
});
