import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { heldFile } from "../src/download/download.ts";
import { Failure } from "../src/payments/gateway.ts";
import { cellAt, Rows, textOf } from "../src/payments/list/csv.ts";
import { Download } from "../src/payments/list/downloading.ts";
import { fileOfSums } from "../src/payments/list/excel.ts";
import { headerOf, withHeaders } from "../src/payments/list/headers.ts";
import { readMatching, pageOf } from "../src/payments/list/matching.ts";
import type { ListRoute } from "../src/payments/list/query.ts";
import { Counts, dayOfCell, fileName, Saved, verdictOf, type Form } from "../src/payments/list/saved.ts";
import { Summing } from "../src/payments/list/summing.ts";
import type { Summary } from "../src/payments/list/totals.ts";

const days = { from: "2026-11-22", to: "2026-11-23" };
const bytes = (text: string) => new TextEncoder().encode(text);

const exact = "id,createdAt,name\r\n" +
  '1,2026-11-24T02:59:59.999Z,"a ""b"", c"\r\n' + // still the 23rd in Brasília
  "2,2026-11-24T03:00:00.000Z,d\r\n" +
  '3,2026-11-22T12:00:00.000Z,"two\r\nlines"\r\n' +
  "5,2026-11-23T00:00:00,f\r\n" +
  "6,#N/A,g\r\n";

const form: Form = { separator: ",", created: "createdAt", cut: null, statuses: null };

/** A file in memory, and what is in it when it is closed. */
function held(of: Form): [Saved, () => Promise<string | null>] {
  let content: Blob | null = null;
  const saved = new Saved(heldFile((blob) => (content = blob)), of);
  return [saved, async () => new TextDecoder("utf-8", { ignoreBOM: true }).decode(await (content as Blob | null)?.arrayBuffer()) || null];
}

async function write(saved: Saved, parts: readonly string[], of = days): Promise<void> {
  const part = saved.part(of);
  for (const text of parts) await part.write(bytes(text));
  await part.close();
}

test("a file keeps the rows of its days, wherever its bytes are divided", async () => {
  const whole = exact.replace(/^2.*\r\n/gm, "");
  for (let at = 0; at <= exact.length; at++) {
    const [saved, content] = held(form);
    await write(saved, [exact.slice(0, at), exact.slice(at)]);
    await saved.close();
    assert.equal(await content(), whole);
    const { kept, outside, undated, read } = saved.counts;
    assert.deepEqual([kept, outside, undated, read], [4, 1, 2, 4]);
  }
});

test("a file is made of parts, of which each is repeated until it is whole, and each record is in it once", async () => {
  const [saved, content] = held(form);
  const first = { from: "2026-11-23", to: "2026-11-23" };
  await saved.part(first).write(bytes(exact.slice(0, 60)));
  await write(saved, [exact], first);
  await write(saved, [exact], { from: "2026-11-22", to: "2026-11-22" });
  await saved.close();
  assert.equal(await content(), exact.replace(/^2.*\r\n/gm, "").replace(/^(3.*\r\n.*\r\n)([^]*)$/m, "$2$1"));
  const { kept, outside, repeated } = saved.counts;
  assert.deepEqual([kept, outside, repeated], [4, 6, 0]);
});

test("a file for Excel in Portuguese keeps the rows of its days, and its byte order mark", async () => {
  const head = "\ufeffid;criado_em;pago_em;documento\r\n";
  const text = `${head}1;22/11/2026 00:00:00;23/11/2026 23:59:59;"=""001"""\r\n2;22/11/2026 00:00:00;24/11/2026 00:00:00;x\r\n3;22/11/2026 00:00:00;;y\r\n`;
  const [saved, content] = held({ separator: ";", created: "criado_em", cut: { column: "pago_em", days }, statuses: null });
  await write(saved, [text]);
  await saved.close();
  assert.equal(await content(), text.slice(0, text.indexOf("2;22")));
  assert.deepEqual([saved.counts.kept, saved.counts.omitted], [1, 2]);
});

test("a file for people has its statuses in words, and those of the API that have none", async () => {
  const text = '\ufeffid;situacao;nome;criado_em\r\n1;PAID;"PAID; x";\r\n2;NEW;PAID;\r\n3;;y;\r\n4;constructor;z;\r\n';
  const [saved, content] = held({ separator: ";", created: "criado_em", cut: null, statuses: { column: "situacao", words: { PAID: "Pago" } } });
  await write(saved, [text.slice(0, 24), text.slice(24)]);
  await saved.close();
  assert.equal(await content(), text.replace("1;PAID", "1;Pago"));
});

test("a part that ends within a row, has no rows or lacks the date is not saved", async () => {
  for (const [parts, created] of [[[exact.slice(0, -3)], "createdAt"], [[""], "createdAt"], [[exact], "criado_em"]] as const) {
    await assert.rejects(write(held({ ...form, created })[0], parts));
  }
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

test("a file is whole if the gateway says so, and if sums that are whole have as many records", () => {
  const sums = { complete: true, count: 3 };
  const of = (kept: number, other = {}) => Object.assign(new Counts(), { kept, ...other });
  assert.deepEqual(verdictOf(of(3), null, sums), { kind: "whole" });
  assert.deepEqual(verdictOf(of(3), null, null), { kind: "whole" });
  assert.deepEqual(verdictOf(of(2), null, { ...sums, complete: false }), { kind: "whole" });
  assert.deepEqual(verdictOf(of(2), null, sums), { kind: "differs", expected: 3 });
  assert.deepEqual(verdictOf(of(3), "TOTAL_CHANGED", sums), { kind: "unknown", reason: "TOTAL_CHANGED" });
  assert.deepEqual(verdictOf(of(3, { repeated: 1 }), null, sums), { kind: "repeated" });
  assert.deepEqual(verdictOf(of(3, { unreadable: 1 }), null, sums), { kind: "unreadable" });
});

test("a file notices records that it has twice, and values that could not be read", async () => {
  const [saved] = held({ ...form, separator: ";" });
  await write(saved, ['id;nome;createdAt\r\n1;"a;#N/D;b";\r\n2;#N/D;\r\n1;c;\r\n3;"#N/A";\r\n']);
  const { kept, repeated, unreadable } = saved.counts;
  assert.deepEqual([kept, repeated, unreadable], [4, 1, 1]);
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

/** The body of a response, in parts of seven bytes. It breaks at its end, if it is to. */
function bodyOf(text: string, breaks = false): ReadableStream<Uint8Array<ArrayBuffer>> {
  const all = bytes(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= all.length) return breaks ? controller.error(new TypeError("network error")) : controller.close();
      controller.enqueue(all.slice(at, (at += 7)));
    },
  });
}

const gatewayOf = (text: string) => ({ open: async () => ({ body: bodyOf(text), requestId: null }) });

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
    [one, "PAGE_FAILED"], [one + end(false, "TOTAL_CHANGED"), "TOTAL_CHANGED"], [one + one + one + end(true, null), "TOO_MANY"],
  ] as const) {
    const { complete, reason: why } = await readMatching(gatewayOf(text), route, signal, 2);
    assert.deepEqual([complete, why], [false, reason]);
  }
});

test("sums are a file of what the page shows, with the digits of the gateway", () => {
  const group = { day: "2026-11-23", statusRaw: "A;B", count: 2, amount: "5170", amountPaid: "5", refundAmount: null, feeAmount: "19.5", netAmount: "-0.5" };
  const state = { count: 3, unreadable: 0, pagesRead: 1, complete: true, reason: null };
  const summary: Summary = { ...state, groups: [group, { day: null, statusRaw: "PAID", count: 1, amount: "0" }] };
  assert.equal(fileOfSums(summary, "deposits", "pt", { PAID: "Pago" }),
    "\ufeffdia;situacao;quantidade;valor;valor_pago;valor_devolvido;tarifa;valor_liquido\r\n" +
    '23/11/2026;"A;B";2;51,70;0,05;;19,5;-0,005\r\n;Pago;1;0,00;;;;\r\n');
});

test("sums are read as they arrive, and again if the connection breaks", async (t) => {
  const group = `{"day":"2026-11-23","statusRaw":"PAID","count":2,"amount":"9007199254740993"}\n`;
  const progress = `{"@progress":{"pages":1,"of":2,"records":100,"total":150}}\n`;
  const last = `{"@download":{"complete":true,"summary":{"count":2,"amount":"9007199254740993","complete":true,"reason":null}}}\n`;
  const bodies = [bodyOf(progress + group, true), bodyOf(progress), bodyOf(progress + group + last)];
  const told: unknown[] = [];
  const open = async () => ({ body: bodies.shift() ?? bodyOf(""), requestId: "x" });
  const sums = await withoutPauses(t, () => new Summing({ open }, route).run(signal, (now) => told.push(now?.waiting ?? now?.pages ?? null)));
  assert.equal(sums.summary.count, 2);
  assert.deepEqual(sums.summary.groups.map(({ amount }) => amount), ["9007199254740993"]);
  assert.deepEqual(told, [null, 1, 1, { code: "BROKEN" }, 1]);
});

test("sums of a long list are read day by day; a day is repeated, and a run that failed is continued", async (t) => {
  const three: ListRoute = { view: "list", kind: "deposits", days: { from: "2026-11-21", to: "2026-11-23" }, status: null, page: 1 };
  const progress = `{"@progress":{"pages":1,"of":200,"records":100,"total":20000}}\n`;
  const day = (key: string, count: number, amount: string | null, rest = "") => progress +
    (count > 0 ? `{"day":"${key}","statusRaw":"PAID","count":${count},"amount":${JSON.stringify(amount)}}\n` : "") +
    `{"@download":{"complete":true,"summary":{"count":${count},"amount":${JSON.stringify(amount)},"unreadable":0,"pagesRead":7,` +
    `"complete":true,"reason":null${rest}}}}\n`;
  const unpaid = `,"amountPaid":"0","netAmount":"0"`;
  const bodies = [progress, progress, day("2026-11-23", 600, "9007199254740993", `,"amountPaid":"5","netAmount":null`)];
  const asked: unknown[] = [];
  const open = async (_query: string, { fromDay, toDay }: Record<string, unknown>) => {
    asked.push([fromDay, toDay].join());
    const body = bodies.shift();
    if (body === undefined) throw new Failure("down", "UPSTREAM_UNAVAILABLE", null);
    return { body: bodyOf(body), requestId: "x" };
  };
  const sums = new Summing({ open }, three);
  const told: unknown[] = [];
  const run = () => sums.run(signal, (now) => told.push(now?.waiting?.code ?? (now && [now.pages, now.of, now.records])));
  await withoutPauses(t, () => assert.rejects(run, { code: "UPSTREAM_UNAVAILABLE" }));
  const [whole, one, two] = ["2026-11-21,2026-11-23", "2026-11-23,2026-11-23", "2026-11-22,2026-11-22"];
  assert.deepEqual(asked.slice(0, 4), [whole, one, one, two]);
  assert.ok(asked.slice(4).every((each) => each === two));
  assert.deepEqual(told.slice(0, 8), [null, [1, 200, 100], [0, 200, 0], [1, 200, 100], "BROKEN", [1, 200, 100], [7, 200, 600], "UPSTREAM_UNAVAILABLE"]);
  asked.length = 0;
  bodies.push(day("2026-11-22", 0, "0", unpaid), day("2026-11-21", 1, "7", `,"amountPaid":null,"netAmount":null`));
  const { summary } = await run();
  assert.deepEqual(asked, [two, "2026-11-21,2026-11-21"]);
  assert.deepEqual(summary, {
    count: 601, amount: "9007199254741000", amountPaid: "5", netAmount: null, unreadable: 0, pagesRead: 21, complete: true, reason: null,
    groups: [
      { day: "2026-11-21", statusRaw: "PAID", count: 1, amount: "7" }, { day: "2026-11-23", statusRaw: "PAID", count: 600, amount: "9007199254740993" },
    ],
  });
  assert.equal(sums.ended, true);
});

/** Waits for a promise whose pauses take no time. */
async function withoutPauses<Value>(t: TestContext, act: () => Promise<Value>): Promise<Value> {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let ended = false;
  const value = act().finally(() => (ended = true));
  while (!ended) {
    await new Promise(setImmediate);
    t.mock.timers.tick(1000);
  }
  t.mock.timers.reset();
  return value;
}

/** A gateway with 20,000 deposits, each file of which is a day. Its first two files of a day fail. */
function shop() {
  const asked: string[] = [];
  const open = async (_query: string, { filter }: Record<string, unknown>) => {
    const day = String((filter as { endDate: string }).endDate).slice(0, 10);
    asked.push(day);
    const text = `id,createdAt\r\n${day},${day}T02:00:00Z\r\n`;
    if (asked.length === 1) throw new Failure("down", "UPSTREAM_UNAVAILABLE", null);
    return { body: bodyOf(asked.length === 2 ? text : `${text}{"@download":{"complete":true,"records":1,"total":1}}\n`), requestId: null };
  };
  return { asked, open, ask: async () => ({ data: { list: { totalCount: 20_000 } }, errors: [], requestId: null }) as never };
}

test("a file of a long list whose service is away for a minute says so, and is continued", async (t) => {
  const { asked, ...gateway } = shop();
  const [saved, content] = held(form);
  const three: ListRoute = { view: "list", kind: "deposits", days: { from: "2026-11-21", to: "2026-11-23" }, status: null, page: 1 };
  let away = false;
  const open: typeof gateway.open = (...request) => (away ? Promise.reject(new Failure("down", "UPSTREAM_UNAVAILABLE", null)) : gateway.open(...request));
  const download = new Download({ ...gateway, open }, { name: "x.csv", format: "exact", query: "", route: three, form, large: false }, saved);
  const run = () => download.run(signal, { progress: () => (away = asked.length === 3), waiting: () => {} });
  await withoutPauses(t, () => assert.rejects(run, { code: "UPSTREAM_UNAVAILABLE" }));
  assert.deepEqual([download.continues, saved.counts.kept, await content()], [true, 1, null]);
  away = false;
  await withoutPauses(t, run);
  assert.deepEqual(asked, ["2026-11-24", "2026-11-24", "2026-11-24", "2026-11-23", "2026-11-22"]);
  assert.equal(saved.counts.kept, 3);
});

test("a file of a long list is read day by day, and a day is repeated", async (t) => {
  const { asked, ...gateway } = shop();
  const [saved, content] = held(form);
  const three: ListRoute = { view: "list", kind: "deposits", days: { from: "2026-11-21", to: "2026-11-23" }, status: null, page: 1 };
  const download = new Download(gateway, { name: "x.csv", format: "exact", query: "", route: three, form, large: false }, saved);
  const failures: string[] = [];
  await withoutPauses(t, () => download.run(signal, { progress: () => {}, waiting: ({ code }) => failures.push(code) }));
  assert.deepEqual(asked, ["2026-11-24", "2026-11-24", "2026-11-24", "2026-11-23", "2026-11-22"]);
  assert.deepEqual(failures, ["UPSTREAM_UNAVAILABLE", "BROKEN"]);
  assert.equal(await content(), "id,createdAt\r\n" + ["24", "23", "22"].map((day) => `2026-11-${day},2026-11-${day}T02:00:00Z\r\n`).join(""));
  assert.deepEqual([saved.total, saved.counts.kept, saved.reason], [3, 3, null]);
});
