import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { buildSchema, parse, validate } from "graphql";
import { details, newest } from "../src/operations/newest.ts";
import { depositsDocument, notificationDocument, paymentDocument } from "../src/payment/documents.ts";

const schemaFiles = "../../"; // npm runs the tests in web/

test("the operations of the panels are valid for the schema", () => {
  const files = readdirSync(schemaFiles).filter((name) => name.endsWith(".graphqls"));
  const schema = buildSchema(files.map((name) => readFileSync(schemaFiles + name, "utf8")).join("\n"));
  for (const document of [depositsDocument, notificationDocument, paymentDocument, newest, details]) {
    assert.deepEqual(validate(schema, parse(document)), []);
  }
});
