import assert from "node:assert/strict";
import { test } from "node:test";
import { digitsOf, parseExact } from "../src/base/exact.ts";
import { localTime } from "../src/base/format.ts";
import { amountText, centsOf } from "../src/base/money.ts";

// Node 20 rounds like an older browser; the browser's test checks the digits.
const keepsDigits = "rawJSON" in JSON;

test("numbers keep their digits", () => {
  const text = '{"a":9223372036854775807,"b":[1.50,1E400,-0,7]}';
  assert.equal(JSON.stringify(parseExact(text)), keepsDigits ? text : JSON.stringify(JSON.parse(text)));
  assert.equal(digitsOf((parseExact(text) as { a: unknown }).a), keepsDigits ? "9223372036854775807" : "9223372036854776000");
});

test("only numbers have digits", () => {
  for (const value of ["1", null, {}, { rawJSON: "1" }, [1]]) assert.equal(digitsOf(value), null);
  assert.equal(digitsOf(7), "7");
});

test("amounts are shown in reais", () => {
  const shown = (cents: unknown) => amountText(digitsOf(cents))?.replace(/\s/g, " ") ?? null;
  assert.equal(shown(5170), "R$ 51,70");
  assert.equal(shown(-1), "-R$ 0,01");
  assert.equal(shown(9007199254740991), "R$ 90.071.992.547.409,91");
  assert.equal(shown(1.5), null);
  assert.equal(shown("5170"), null);
});

test("amounts in reais are read", () => {
  for (const [text, cents] of [
    ["51,70", 5170], ["51.7", 5170], ["R$ 5", 500], [" 1.234,56 ", 123456], ["1.234", 123400], ["0,01", 1],
    ["R$  1.234", 123400], ["999999999,99", 99999999999], ["1000000000", null],
    ["", null], ["-5", null], ["5,123", null], ["1,2,3", null], ["five", null],
  ] as const) {
    assert.equal(centsOf(text), cents, text);
  }
});

test("only times with an offset are converted to local time", () => {
  assert.match(localTime("2026-01-31T12:00:00.000Z") ?? "", /2026/);
  assert.match(localTime("2026-01-31T12:00:00-03:00") ?? "", /2026/);
  for (const value of ["2026-01-31T12:00:00", "2026-01-31", "2026-13-31T12:00:00Z", "12", 5, null]) assert.equal(localTime(value), null);
});
