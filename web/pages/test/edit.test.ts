import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Kind, parse, type FieldNode, type ObjectValueNode } from "graphql";
import { addOperation, addSelections, parseDocument, positionAt, removeField, setEntry, type Edit, type Parent } from "../src/explorer/edit.ts";
import { operationOf } from "../src/operations/name.ts";

function apply(text: string, edit: Edit | null): string {
  if (edit === null) return text;
  const edited = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
  assert.notEqual(parseDocument(edited), null, "an edit of a valid document leaves a valid one");
  return edited;
}

/** The operation of a document, and the fields on a path in it, innermost first. */
function along(text: string, ...path: string[]): Parent[] {
  const operation = operationOf(parse(text), null);
  assert.ok(operation);
  const parents: Parent[] = [operation];
  for (const name of path) {
    const fields = parents[0]?.selectionSet?.selections.filter((each) => each.kind === Kind.FIELD);
    const field = fields?.find((each) => each.name.value === name);
    assert.ok(field, name);
    parents.unshift(field);
  }
  return parents;
}

describe("adding fields", () => {
  const cases = [
    { name: "to an operation", text: "{\n  a\n}", path: [], want: "{\n  a\n  new\n}" },
    { name: "after a comment of the last field", text: "{\n  a # first\n}", path: [], want: "{\n  a # first\n  new\n}" },
    { name: "after a comment at the end", text: "{\n  a\n  # end\n}", path: [], want: "{\n  a\n  # end\n\n  new\n}" },
    { name: "to a nested field", text: "{\n  a {\n    b\n  }\n}", path: ["a"], want: "{\n  a {\n    b\n    new\n  }\n}" },
    { name: "to a field without a selection set", text: "{\n  a(x: 1)\n}", path: ["a"], want: "{\n  a(x: 1) {\n    new\n  }\n}" },
    { name: "to a line with braces", text: "{ a }", path: [], want: "{ a\n  new\n}" },
  ];
  for (const { name, text, path, want } of cases) {
    test(name, () => {
      const [parent] = along(text, ...path);
      assert.equal(apply(text, addSelections(text, parent as Parent, "new")), want);
    });
  }

  test("to a document without an operation", () => {
    assert.equal(apply("", addOperation("", "a {\n  id\n}")), "query {\n  a {\n    id\n  }\n}\n");
    assert.equal(apply("# only a comment", addOperation("# only a comment", "a")), "# only a comment\nquery {\n  a\n}\n");
  });
});

describe("removing a field", () => {
  const cases = [
    { name: "with its line", text: "{\n  a\n  b\n}", path: ["b"], want: "{\n  a\n}" },
    { name: "with the comment in its line", text: "{\n  a # one\n  b # two\n}", path: ["b"], want: "{\n  a # one\n}" },
    { name: "before another in the line", text: "{\n  x # one\n  a b\n}", path: ["a"], want: "{\n  x # one\n   b\n}" },
    { name: "between braces", text: "{ a b }", path: ["b"], want: "{ a }" },
    { name: "with a parent that has no other", text: "{\n  a\n  b {\n    c {\n      d\n    }\n  }\n}", path: ["b", "c", "d"], want: "{\n  a\n}" },
    { name: "but not a parent with another", text: "{\n  b {\n    c\n    d\n  }\n}", path: ["b", "d"], want: "{\n  b {\n    c\n  }\n}" },
    { name: "with the operation if it was the last", text: "# why\nquery A {\n  a\n}\n", path: ["a"], want: "# why\n" },
  ];
  for (const { name, text, path, want } of cases) {
    test(name, () => {
      const [field, ...parents] = along(text, ...path);
      assert.equal(apply(text, removeField(text, field as FieldNode, parents)), want);
    });
  }
});

describe("setting an argument", () => {
  const cases = [
    { name: "the first", text: "{ a { b } }", argument: "x", literal: "1", want: "{ a(x: 1) { b } }" },
    { name: "of a field with an alias", text: "{ a: a { b } }", argument: "x", literal: "1", want: "{ a: a(x: 1) { b } }" },
    { name: "another", text: "{ a(x: 1) }", argument: "y", literal: "{}", want: "{ a(x: 1, y: {}) }" },
    { name: "to another value", text: '{ a(x: "(") }', argument: "x", literal: "$x", want: "{ a(x: $x) }" },
    { name: "the first to nothing", text: "{ a(x: 1, y: 2) }", argument: "x", literal: null, want: "{ a(y: 2) }" },
    { name: "the last to nothing", text: "{ a(x: 1, y: 2) }", argument: "y", literal: null, want: "{ a(x: 1) }" },
    { name: "the only one to nothing", text: "{ a(x: 1 # )\n) { b } }", argument: "x", literal: null, want: "{ a { b } }" },
    { name: "an absent one to nothing", text: "{ a }", argument: "x", literal: null, want: "{ a }" },
  ];
  for (const { name, text, argument, literal, want } of cases) {
    test(name, () => {
      const [field] = along(text, "a");
      assert.equal(apply(text, setEntry(text, field as FieldNode, argument, literal)), want);
    });
  }

  test("inside an input object", () => {
    const text = "{ a(filter: {}) }";
    const [field] = along(text, "a");
    const filter = (field as FieldNode).arguments?.[0]?.value as ObjectValueNode;
    const added = apply(text, setEntry(text, filter, "status", "[PAID]"));
    assert.equal(added, "{ a(filter: { status: [PAID] }) }");
    const [after] = along(added, "a");
    const object = (after as FieldNode).arguments?.[0]?.value as ObjectValueNode;
    assert.equal(apply(added, setEntry(added, object, "status", null)).replaceAll(" ", ""), "{a(filter:{})}");
  });
});

test("a document is empty, valid or null", () => {
  assert.deepEqual(parseDocument("# a comment\n\n")?.definitions, []);
  assert.equal(parseDocument("{ a }")?.definitions.length, 1);
  assert.equal(parseDocument("{ a "), null);
});

test("the operation is the named one, otherwise the first", () => {
  const document = parse("fragment F on A { x } query A { a } query B { b }");
  assert.equal(operationOf(document, "B")?.name?.value, "B");
  assert.equal(operationOf(document, null)?.name?.value, "A");
});

test("a position has a line and a column", () => {
  assert.deepEqual(positionAt("", 0), { line: 1, column: 1 });
  assert.deepEqual(positionAt("ab\ncd", 2), { line: 1, column: 3 });
  assert.deepEqual(positionAt("ab\ncd", 4), { line: 2, column: 2 });
});
