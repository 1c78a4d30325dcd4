import assert from "node:assert/strict";
import { test } from "node:test";
import { heldFile } from "../src/download/download.ts";
import type { Gateway } from "../src/payments/gateway.ts";
import { cellAt, Rows, textOf } from "../src/payments/list/csv.ts";
import { headerOf, withHeaders } from "../src/payments/list/headers.ts";
import { readMatching, pageOf } from "../src/payments/list/matching.ts";
import type { ListRoute } from "../src/payments/list/query.ts";
import { hasFigures } from "../src/payments/list/sumsfile.ts";
import { dayOfCell, fileName, Saved, verdictOf, type Cut } from "../src/payments/list/saved.ts";

const days = { from: "2026-11-22", to: "2026-11-23" };
const bytes = (text: string) => new TextEncoder().encode(text);

const exact = "id,createdAt,name\r\n" +
  '1,2026-11-24T02:59:59.999Z,"a ""b"", c"\r\n' + // still the 23rd in Brasília
  "2,2026-11-24T03:00:00.000Z,d\r\n" +
  '3,2026-11-22T12:00:00.000Z,"two\r\nlines"\r\n' +
  "4,,e\r\n" +
  "5,2026-11-23T00:00:00,f\r\n" +
  "6,#N/A,g\r\n";

/** Saves parts, and returns the file and the text in it, null if it was not closed. */
async function saved(parts: string[], cut: Cut | null): Promise<[Saved, string | null]> {
  let content: Blob | null = null;
  const file = new Saved(heldFile((blob) => (content = blob)), cut);
  try {
    for (const part of parts) await file.write(bytes(part));
    await file.close();
  } catch {
    return [file, null];
  }
  return [file, await (content as Blob | null)?.text() ?? null];
}

test("a file keeps the rows of its days, wherever its bytes are divided", async () => {
  const whole = exact.replace(/^[24].*\r\n/gm, "");
  for (let at = 0; at <= exact.length; at++) {
    const [{ kept, omitted, undated }, text] = await saved([exact.slice(0, at), exact.slice(at)], { column: "createdAt", days, separator: "," });
    assert.equal(text, whole);
    assert.deepEqual([kept, omitted, undated], [4, 2, 2]);
  }
});

test("a file for Excel in Portuguese keeps the rows of its days, and its byte order mark", async () => {
  const text = '\ufeffid;paymentDate;document\r\n1;23/11/2026 23:59:59;"=""001"""\r\n2;24/11/2026 00:00:00;x\r\n3;;y\r\n';
  let content: Blob | null = null;
  const file = new Saved(heldFile((blob) => (content = blob)), { column: "paymentDate", days, separator: ";" });
  await file.write(bytes(text));
  await file.close();
  const written = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await (content as Blob | null)?.arrayBuffer());
  assert.equal(written, text.slice(0, text.indexOf("2;24")));
  assert.deepEqual([file.kept, file.omitted], [1, 2]);
});

test("a file for people has its statuses in words, and those of the API that have none", async () => {
  const text = '\ufeffid;situacao;nome\r\n1;PAID;"PAID; x"\r\n2;NEW;PAID\r\n3;;y\r\n4;constructor;z\r\n';
  let content: Blob | null = null;
  const statuses = { column: "situacao", separator: ";", words: { PAID: "Pago" } };
  const file = new Saved(heldFile((blob) => (content = blob)), null, [], statuses);
  for (const part of [text.slice(0, 24), text.slice(24)]) await file.write(bytes(part));
  await file.close();
  const written = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await (content as Blob | null)?.arrayBuffer());
  assert.equal(written, text.replace("1;PAID", "1;Pago"));
  assert.equal(file.rows?.[0], '1;PAID;"PAID; x"\r\n', "compared with the sums as the gateway wrote it");
});

test("a file that ends within a row, has no rows or lacks the date is not saved", async () => {
  for (const [parts, column] of [[[exact.slice(0, -3)], "createdAt"], [[""], "createdAt"], [[exact], "refundDate"]] as const) {
    assert.equal((await saved([...parts], { column, days, separator: "," }))[1], null);
  }
});

test("a file without days keeps all rows", async () => {
  const [file, text] = await saved([exact], null);
  assert.equal(text, exact);
  assert.equal(file.kept, 6);
});

test("rows and cells end where they do not have quotation marks", () => {
  const rows = [...new Rows().add(bytes('a;"b;\n""c";d\n;\n'))].map(textOf);
  assert.deepEqual(rows, ['a;"b;\n""c";d\n', ";\n"]);
  assert.deepEqual([0, 1, 2, 3].map((index) => cellAt(rows[0] ?? "", index, ";")), ["a", '"b;\n""c"', "d", ""]);
});

test("the day of a cell", () => {
  assert.equal(dayOfCell("23/11/2026 14:05:09"), "2026-11-23");
  assert.equal(dayOfCell("2026-11-24T01:00:00Z"), "2026-11-23");
  assert.equal(dayOfCell("23/11/2026"), null);
});

test("a file is whole only if sums that are whole have as many records", () => {
  const sums = { complete: true, reason: null, expected: 3 };
  const of = (kept: number, other = {}) => ({ kept, repeated: 0, unreadable: 0, isChecked: true, ...other });
  assert.deepEqual(verdictOf(of(3), sums), { kind: "whole" });
  assert.deepEqual(verdictOf(of(2), sums), { kind: "differs", expected: 3 });
  assert.deepEqual(verdictOf(of(3), { ...sums, complete: false, reason: "TOTAL_CHANGED" }), { kind: "unknown", reason: "TOTAL_CHANGED" });
  assert.deepEqual(verdictOf(of(3), null), { kind: "unknown", reason: null });
  assert.deepEqual(verdictOf(of(3, { repeated: 1 }), sums), { kind: "repeated" });
  assert.deepEqual(verdictOf(of(3, { unreadable: 1 }), sums), { kind: "unreadable" });
  assert.deepEqual(verdictOf(of(3, { isChecked: false }), sums), { kind: "unchecked" });
});

test("a file notices records that it has twice, and values that could not be read", async () => {
  const saved = new Saved({ write: async () => {}, close: async () => {}, abort: async () => {} }, null);
  await saved.write(bytes('id;nome\r\n1;"a;#N/D;b"\r\n2;#N/D\r\n1;c\r\n3;"#N/A"\r\n'));
  assert.deepEqual([saved.kept, saved.repeated, saved.unreadable], [4, 1, 1]);
});

test("the columns of a file for Excel in Portuguese", () => {
  const selection = "id paymentDate payer { name }";
  assert.equal(withHeaders(selection, "pt"), "id pago_em: paymentDate pagador: payer { nome: name }");
  assert.equal(withHeaders(selection, "schema"), selection);
  assert.deepEqual([headerOf("paymentDate", "pt"), headerOf("paymentDate", "schema"), headerOf("id", "pt")], ["pago_em", "paymentDate", "id"]);
});

test("names of files", () => {
  assert.equal(fileName("deposits", { from: "2026-11-23", to: "2026-11-23" }), "depositos-2026-11-23.csv");
  assert.equal(fileName("withdrawals", days, null, "PROCESSED"), "saques-2026-11-22-a-2026-11-23-processed.csv");
});

const route: ListRoute = { view: "list", kind: "deposits", days, status: null, page: 1, dayOf: "payment" };
const record = (id: number, date: string | null) => `{"id":"${id}","date":${JSON.stringify(date)}}\n`;
const end = (complete: boolean, reason: string | null) => `{"@download":{"complete":${complete},"reason":${JSON.stringify(reason)}}}\n`;

/** A gateway whose response is a text, in parts of seven bytes. */
function gatewayOf(text: string): Gateway {
  const all = bytes(text);
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (at >= all.length) return controller.close();
      controller.enqueue(all.slice(at, (at += 7)));
    },
  });
  return { endpoint: "/graphql", send: async () => new Response(body) } as unknown as Gateway;
}

const { signal } = new AbortController();

test("records of the days are selected among all that are read, the newest first", async () => {
  const dates = ["2026-11-22T12:00:00Z", "2026-11-23T12:00:00Z", null, "2026-11-24T12:00:00Z", "2026-11-23T12:00:00"];
  const lines = `${dates.map((date, at) => record(at + 1, date)).join("")}null\n`;
  const matching = await readMatching(gatewayOf(lines + end(true, null)), route, signal);
  assert.deepEqual(matching.rows.map(({ id }) => id), ["2", "1"]);
  assert.deepEqual({ ...matching, rows: [] }, { rows: [], read: 6, unreadable: 2, complete: true, reason: null });
  assert.deepEqual(pageOf(matching, 1).pageInfo, { hasNextPage: false });
});

test("a selection says why it is not whole", async () => {
  const one = record(1, "2026-11-22T12:00:00Z");
  for (const [text, reason] of [
    [one, "PAGE_FAILED"], [one + end(false, "TOTAL_CHANGED"), "TOTAL_CHANGED"], [one + one + one + end(true, null), "PAGE_LIMIT"],
  ] as const) {
    const { complete, reason: why } = await readMatching(gatewayOf(text), route, signal, 2);
    assert.deepEqual([complete, why], [false, reason]);
  }
});

test("a file of sums is compared with those of the page, figure by figure", () => {
  const rows = ['23/11/2026;"A;B";2;51,70;0,05;;19,5;-0,005\r\n', "24/11/2026;PAID;1;0,00;;;;\r\n"];
  const group = { day: "2026-11-23", statusRaw: "A;B", count: 2, amount: "5170", amountPaid: "5", refundAmount: null, feeAmount: "19.5", netAmount: "-0.5" };
  const empty = { ...group, day: "2026-11-24", statusRaw: "PAID", count: 1, amount: "0", amountPaid: null, feeAmount: null, netAmount: null };
  assert.equal(hasFigures(rows, ";", { groups: [group, empty] }), true);
  assert.equal(hasFigures([], ";", { groups: [] }), true);
  const changed = [{ ...group, netAmount: null }, { ...group, amountPaid: "6" }, { ...group, count: 1 }];
  changed.push({ ...group, day: "2026-11-22" }, { ...group, statusRaw: "PAID" });
  for (const groups of [[group], [empty, group], ...changed.map((other) => [other, empty])]) {
    assert.equal(hasFigures(rows, ";", { groups }), false);
  }
});
