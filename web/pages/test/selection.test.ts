import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, validate } from "graphql";
import { fieldsOf, literalOf, selectionOf } from "../src/explorer/defaults.ts";
import { schema } from "./schema.ts";

const query = schema.getQueryType();
assert.ok(query);

test("every first selection of the gateway's fields is valid", () => {
  const fields = fieldsOf(query);
  assert.ok(fields.length > 5 && query.getFields()["_entities"] !== undefined && !fields.some(({ name }) => name.startsWith("_")));
  for (const field of fields) {
    const text = `{ ${selectionOf(field)} }`;
    assert.deepEqual(validate(schema, parse(text)).map(String), [], text);
  }
});

test("every first value of the gateway's arguments is valid", () => {
  for (const field of fieldsOf(query)) {
    for (const arg of field.args) {
      const others = field.args.filter((other) => other !== arg && String(other.type).endsWith("!"));
      const given = [arg, ...others].map(({ name, type }) => `${name}: ${literalOf(type)}`).join(", ");
      const text = `{ ${selectionOf(field).replace(/^\w+(\([^)]*\))?/, `${field.name}(${given})`)} }`;
      assert.deepEqual(validate(schema, parse(text)).map(String), [], text);
    }
  }
});

test("a connection selects the ids of its nodes", () => {
  const deposits = schema.getQueryType()?.getFields()["deposits"];
  assert.ok(deposits);
  assert.equal(selectionOf(deposits), "deposits {\n  nodes {\n    id\n  }\n}");
  assert.equal(selectionOf(deposits, "totalCount"), "deposits {\n  totalCount\n}");
});
