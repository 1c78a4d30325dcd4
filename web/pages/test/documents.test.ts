import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, validate } from "graphql";
import { details, newest } from "../src/operations/newest.ts";
import {
  depositsDocument, notificationDocument, paymentDocument, pixKeyDocument, recordsDocument, withdrawalDocument, withdrawalsDocument,
} from "../src/payment/documents.ts";
import { schema } from "./schema.ts";

test("the operations of the panels are valid for the schema", () => {
  const opened = [withdrawalDocument, withdrawalsDocument];
  for (const document of [depositsDocument, notificationDocument, paymentDocument, pixKeyDocument, recordsDocument, newest, details, ...opened]) {
    assert.deepEqual(validate(schema, parse(document)), []);
  }
});
