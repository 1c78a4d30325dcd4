import assert from "node:assert/strict";
import { test } from "node:test";
import { parseExact } from "../src/base/exact.ts";
import { timeSpan } from "../src/base/format.ts";
import { exactText } from "../src/base/money.ts";
import { factsOf } from "../src/insight/brcode.ts";
import { chartOf, type Summary } from "../src/insight/summary.ts";
import { momentsOf } from "../src/insight/timeline.ts";
import { labelOf, meaningIn } from "../src/insight/words.ts";
import { schema } from "./schema.ts";

const keepsDigits = "rawJSON" in JSON; // Node 20 rounds
const meaning = meaningIn(schema);
const plain = (text: string | null | undefined) => text?.replaceAll("\u00a0", " ");

test("a number of milliseconds keeps its digits", () => {
  for (const [millis, text] of [
    ["0", "0 s"], ["1", "0.001 s"], ["999.5", "0.9995 s"], ["1000", "1 s"], ["60000", "1 min"], ["125123", "2 min 5.123 s"],
    ["90061000", "1 d 1 h 1 min 1 s"], ["86400000", "1 d"], ["-5", "-5 ms"], ["null", null], ['"5"', null],
    ...(keepsDigits ? [["86400000000000000000000", "1000000000000000 d"], ["1e3", "1e3 ms"], ["0.0000001", "0.0000000001 s"]] as const : []),
  ] as const) {
    assert.equal(timeSpan(parseExact(millis)), text, millis);
  }
});

test("a sum of any size is exact in reais", () => {
  assert.equal(plain(exactText("123456789012345678901234567890")), "R$ 1.234.567.890.123.456.789.012.345.678,90");
  assert.equal(plain(exactText("-5")), "-R$ 0,05");
  assert.equal(plain(exactText("10.5")), "R$ 0,105");
  for (const text of ["1.", `0.${"1".repeat(19)}`, "", "x"]) assert.equal(exactText(text), null);
});

test("a timeline says what the gateway says: ties, missing times, and times that cannot be converted", () => {
  const timeline = [
    { at: "2026-01-31T12:00:00.000Z", source: "CREATED_AT", sincePreviousInMilliseconds: null },
    { at: "2026-01-31T12:00:00Z", source: "STATUS_HISTORY", index: 1, status: "PAID", durationInMilliseconds: 1500, sincePreviousInMilliseconds: 0 },
    { at: "2026-01-31T12:02:05.123Z", source: "STATUS_HISTORY", index: 0, status: "PENDING", sincePreviousInMilliseconds: 125_123 },
    { at: "yesterday", source: "NEWER_THAN_THE_PAGE", sincePreviousInMilliseconds: null },
    { at: null, source: "REFUND_DATE", sincePreviousInMilliseconds: null },
  ];
  const { moments, omitted } = momentsOf(timeline);
  assert.equal(omitted, 0);
  assert.deepEqual(moments.map(({ untilNext }) => untilNext), [
    "the next is at the same time", "2 min 5.123 s until the next", "unknown time until the next", "unknown time until the next", null,
  ]);
  assert.deepEqual(moments.map(({ entry }) => entry), timeline); // in the gateway's order
  assert.match(moments[0]?.time ?? "", /2026/);
  assert.deepEqual(moments.slice(3).map(({ time }) => time), ["yesterday", "No time"]);
  assert.match(moments[1]?.lasted ?? "", /1\.5 s$/);
});

test("a timeline without times says nothing about them, and a long one is cut off", () => {
  const { moments, omitted } = momentsOf([...Array.from({ length: 1000 }, () => ({ status: "PAID" })), null]);
  assert.equal(omitted, 1000 - moments.length);
  assert.ok(moments.length > 10 && moments.length < 200);
  for (const { time, untilNext, lasted } of moments) assert.deepEqual([time, untilNext, lasted], [null, null, null]);
});

test("a summary is a table with bars of one scale for each unit", () => {
  const { keys, figures, rows, whole, omitted } = chartOf({
    count: 3, amount: "30254123019", refundAmount: null, complete: true,
    groups: [
      { day: "2026-01-30", status: null, count: 1, amount: "400", amountPaid: "200" },
      { day: "2026-01-31", status: null, count: 2, amount: null, amountPaid: "-100" },
    ],
  });
  assert.deepEqual(keys, ["Day"]);
  assert.deepEqual(figures, ["Count", "Amount", "Amount paid"]);
  assert.deepEqual(whole.map(([label, text]) => [label, plain(text)]), [["Count", "3"], ["Amount", "R$ 302.541.230,19"], ["Refund amount", "none"]]);
  assert.deepEqual(rows.map((row) => row.figures.map(({ text, percent, negative }) => [plain(text), percent, negative])), [
    [["1", 50, false], ["R$ 4,00", 100, false], ["R$ 2,00", 50, false]], [["2", 100, false], ["none", 0, false], ["-R$ 1,00", 25, true]],
  ]);
  assert.equal(omitted, 0);
});

test("a net amount with a part of a cent is in reais, as the amounts next to it", () => {
  const { whole, rows } = chartOf({ amountPaid: "7200", netAmount: "7028.75", groups: [{ netAmount: "-0.005" }, { netAmount: "1".repeat(20) }] });
  assert.deepEqual(whole.map(([, text]) => plain(text)), ["R$ 72,00", "R$ 70,2875"]);
  assert.deepEqual(rows.map(({ figures }) => plain(figures[0]?.text ?? "")), ["-R$ 0,00005", "R$ 111.111.111.111.111.111,11"]);
});

test("groups have the text of the API next to UNKNOWN, and amounts of an unknown unit are not reais", () => {
  const { keys, rows } = chartOf({
    groups: [
      { status: "PAID", statusRaw: "PAID", depositOrigin: null, depositOriginRaw: null, amountWithdrawn: "10.5" },
      { status: "UNKNOWN", statusRaw: "HELD", depositOrigin: null, depositOriginRaw: null, amountWithdrawn: "9".repeat(400) },
    ],
  });
  assert.deepEqual(keys, ["Status"]);
  assert.deepEqual(rows.map((row) => row.keys), [["PAID"], ["UNKNOWN (HELD)"]]);
  assert.equal(rows[0]?.figures[0]?.text, "10.5");
  assert.deepEqual(rows.map((row) => row.figures[0]?.percent), [0, 100]);
});

test("of a thousand groups the first are drawn, to the scale of all", () => {
  const groups = Array.from({ length: 1000 }, (_, n) => ({ day: String(n), count: n }));
  const { rows, omitted } = chartOf({ groups });
  assert.equal(rows.length + omitted, 1000);
  assert.ok(rows.length <= 400);
  assert.equal(rows.at(-1)?.figures[0]?.percent, 36.5);
});

test("a summary without groups, figures or anything to group by is a table too", () => {
  assert.deepEqual(chartOf({}), { keys: [], figures: [], rows: [], whole: [], omitted: 0 });
  assert.deepEqual(chartOf({ groups: [] }).rows, []);
  assert.deepEqual(chartOf({ groups: [{ count: 0 }] } as Summary).rows, [{ keys: [], figures: [{ text: "0", percent: 0, negative: false }] }]);
});

test("a Pix code is shown with its problems in the words of the schema", () => {
  const { rows, problems } = factsOf({
    amount: 5170, txid: null, oneTime: true, crc: "WRONG", merchantName: "Loja",
    keyText: { type: "CPF", problems: [{ code: "CHECK_DIGITS", field: null }] },
    problems: [{ code: "WRONG_CRC", field: "63" }, { code: "NEWER_THAN_THE_PAGE", field: "26.01" }],
  }, meaning);
  assert.deepEqual(rows.map(([label, text]) => [label, plain(text)]), [
    ["Amount", "R$ 51,70"], ["Txid", "none that can be read"], ["One time", "yes"], ["Crc", "WRONG"], ["Merchant name", "Loja"], ["Key type", "CPF"],
  ]);
  assert.deepEqual(problems, [
    "CHECK_DIGITS at the key: The check digits of the CPF or CNPJ are wrong, or all digits of the CPF are the same, or the CNPJ is of zeros.",
    "WRONG_CRC at 63: The CRC of the BR Code is wrong: the text was changed.", "NEWER_THAN_THE_PAGE at 26.01",
  ]);
  const [amount] = factsOf(parseExact('{"amount":5.5000000000000000001}') as Record<string, unknown>, meaning).rows;
  assert.deepEqual(amount, ["Amount", keepsDigits ? "5.5000000000000000001" : "5.5"]);
});

test("words of the schema are plain text; other values have none", () => {
  assert.equal(meaning("TimelineSource", "PAYMENT_DATE"), "paymentDate: the payment.");
  for (const value of ["NEWER_THAN_THE_PAGE", null, 1]) assert.equal(meaning("TimelineSource", value), null);
  assert.equal(meaningIn(null)("TimelineSource", "PAYMENT_DATE"), null);
  assert.equal(labelOf("amountPaid"), "Amount paid");
});
