import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isInputObjectType, parseValue, type GraphQLInputType } from "graphql";
import { choicesOf, chosenIn, controlOf, enter, noteOf, shownOf, type Control } from "../src/explorer/controls.ts";
import { fieldsOf } from "../src/explorer/defaults.ts";
import { localOf, withOffset } from "../src/explorer/time.ts";
import { schema } from "./schema.ts";

process.env["TZ"] = "America/New_York"; // it has two offsets

/** The type of an argument of a field of Query, or of a field of its filter. */
function typeOf(field: string, argument: string, member?: string): GraphQLInputType {
  const type = schema.getQueryType()?.getFields()[field]?.args.find(({ name }) => name === argument)?.type;
  assert.ok(type);
  if (member === undefined) return type;
  assert.ok(isInputObjectType(type));
  return type.getFields()[member]?.type as GraphQLInputType;
}

describe("the control of", () => {
  const cases: [field: string, argument: string, member: string | undefined, want: Control | null][] = [
    ["deposits", "filter", undefined, null],
    ["deposits", "filter", "minAmount", "cents"],
    ["deposits", "filter", "startDate", "time"],
    ["deposits", "filter", "status", "choices"],
    ["withdrawals", "filter", "id", "text"],
    ["deposits", "first", undefined, "integer"],
    ["depositSummary", "groupBy", undefined, "choices"],
    ["transactions", "ids", undefined, "ids"],
    ["awaitTransaction", "until", undefined, "choices"],
  ];
  for (const [field, argument, member, want] of cases) {
    test([field, argument, member].filter(Boolean).join("."), () => assert.equal(controlOf(typeOf(field, argument, member)), want));
  }

  test("every input of the schema is one for its kind, and none is a literal", () => {
    for (const type of [schema.getQueryType(), schema.getSubscriptionType()]) {
      for (const field of type ? fieldsOf(type) : []) {
        for (const argument of field.args) {
          const members = isInputObjectType(argument.type) ? Object.values(argument.type.getFields()) : [argument];
          for (const member of members) assert.notEqual(controlOf(member.type), "literal", `${field.name}.${member.name}`);
        }
      }
    }
  });
});

test("UNKNOWN is not a choice, because the gateway refuses it", () => {
  const choices = choicesOf(typeOf("deposits", "filter", "status"));
  assert.ok(choices.includes("PAID") && !choices.includes("UNKNOWN"));
});

describe("what the user enters", () => {
  const cases: [control: Control, text: string, want: string | null | undefined][] = [ // undefined: it is invalid
    ["cents", "51,70", "5170"],
    ["cents", "51", "5100"],
    ["cents", "R$ 1.234,56", "123456"],
    ["cents", "much", undefined],
    ["cents", "-5", undefined],
    ["cents", "$amount", "$amount"],
    ["cents", " ", null],
    ["integer", "007", "7"],
    ["integer", "-2147483648", "-2147483648"],
    ["integer", "2147483648", undefined],
    ["integer", "1.5", undefined],
    ["decimal", "010,50", "10.50"],
    ["decimal", "ten", undefined],
    ["text", 'a "b"\n', '"a \\"b\\"\\n"'],
    ["text", "", null],
    ["ids", "a, b\n\nc,", '["a", "b", "c"]'],
    ["ids", ", ,", null],
    ["ids", "$ids", "$ids"],
    ["literal", "[PAID, $s]", "[PAID, $s]"],
    ["literal", "[PAID", undefined],
    ["time", "2026-07-01T10:00", '"2026-07-01T10:00:00-04:00"'],
    ["time", "2026-01-01T10:00:05.120", '"2026-01-01T10:00:05.120-05:00"'],
    ["time", "12026-01-01T10:00", undefined],
  ];
  for (const [control, text, want] of cases) {
    test(`as ${control}: ${JSON.stringify(text)}`, () => {
      const entered = enter(control, text);
      assert.equal("problem" in entered ? undefined : entered.literal, want);
      if ("literal" in entered && entered.literal !== null) parseValue(entered.literal);
    });
  }
});

describe("a value of the query", () => {
  const cases: [control: Control, literal: string, want: string | null][] = [ // null: it is shown as a literal
    ["cents", "5170", "51,70"],
    ["cents", "5", "0,05"],
    ["cents", "9223372036854775807", "92233720368547758,07"],
    ["cents", '"51"', null],
    ["cents", "$amount", null],
    ["integer", "3", "3"],
    ["integer", "null", null],
    ["decimal", "1.50", "1.50"],
    ["choice", "true", "true"],
    ["text", '"a"', "a"],
    ["text", "$a", null],
    ["ids", '["a", "b"]', "a\nb"],
    ["ids", '"a"', "a"],
    ["ids", '["a", $b]', null],
    ["ids", '["a b"]', null],
    ["time", '"2026-07-01T14:00:00Z"', "2026-07-01T10:00:00"],
    ["time", '"2026-01-01T00:00:00.120-03:00"', "2025-12-31T22:00:00.120"],
    ["time", '"2026-07-01T14:00"', ""],
    ["time", "$since", null],
  ];
  for (const [control, literal, want] of cases) {
    test(`as ${control}: ${literal}`, () => {
      assert.equal(shownOf(control, parseValue(literal)), want);
    });
  }

  for (const [control, literal] of [["cents", "5170"], ["integer", "-3"], ["decimal", "1.50"], ["text", '"a"'], ["ids", '["a", "b"]']] as const) {
    test(`as ${control} is entered as it is shown`, () => {
      assert.deepEqual(enter(control, shownOf(control, parseValue(literal)) ?? ""), { literal });
    });
  }

  test("with several choices, or one that stands for a list", () => {
    assert.deepEqual(chosenIn(parseValue("[PAID, FAILED]")), ["PAID", "FAILED"]);
    assert.deepEqual(chosenIn(parseValue("PAID")), ["PAID"]);
    assert.deepEqual(chosenIn(null), []);
    assert.deepEqual([chosenIn(parseValue("[PAID, $s]")), chosenIn(parseValue("$s"))], [null, null]);
  });

  test("has its cents next to it, and a time without an offset a warning", () => {
    assert.deepEqual(["5170", "1"].map((cents) => noteOf("cents", parseValue(cents))), ["5170 cents", "1 cent"]);
    assert.match(noteOf("time", parseValue('"2026-07-01T14:00"')), /is no time with an offset/);
    assert.deepEqual([noteOf("time", parseValue('""')), noteOf("time", null)], ["", ""]);
  });
});

test("a time that a change of the clock skips or repeats is one time, also when it is shown again", () => {
  for (const local of ["2026-03-08T02:30", "2026-11-01T01:30"]) {
    const time = withOffset(local) ?? "";
    assert.equal(new Date(time).getTime(), new Date(local).getTime());
    assert.equal(withOffset(localOf(time) ?? ""), time);
  }
});
