import assert from "node:assert/strict";
import { test } from "node:test";
import { planOf } from "../src/payments/find/plan.ts";
import { reasonOf, type Compared } from "../src/payments/find/match.ts";
import { meaningsOf, type Meanings } from "../src/payments/find/text.ts";

const now = new Date("2026-11-26T15:00:00Z");

/** The meanings of a text without the text, and without an empty list of keys. */
function meant(text: string): Partial<Meanings> {
  const { text: _, keys, ...others } = meaningsOf(text, now);
  return { ...others, ...(keys.length > 0 && { keys }) };
}

test("an amount with a day or a time is an amount, and says that the time is not compared", () => {
  const day = "2026-11-26";
  const cases: [string, Partial<Meanings>][] = [
    ["R$ 51,70 26/11/2026", { cents: 5170, day }],
    ["51,70 hoje", { cents: 5170, day }],
    ["51,70 ontem", { cents: 5170, day: "2026-11-25" }],
    ["anteontem 51.70", { cents: 5170, day: "2026-11-24" }],
    ["51,70 em 26/11", { cents: 5170, day }],
    ["51,70 em 27/11", { cents: 5170, day: "2025-11-27" }],
    ["1.558,44 - 26/11/26", { cents: 155844, day }],
    ["1,558.44 on 26 November 2026", { cents: 155844, day }],
    ["R$ 51,70, 26 de novembro de 2026", { cents: 5170, day }],
    ["51,70 26 NOV. 2026", { cents: 5170, day }],
    ["26.11.2026 R$ 1.000", { cents: 100000, day }],
    ["50 reais", { cents: 5000 }],
    ["R$ 51,70 26/11/2026 11:52", { cents: 5170, day, ignored: true }],
    ["51,70 11:52", { cents: 5170, ignored: true }],
    ["51,70 11h52", { cents: 5170, ignored: true }],
    ["51,70 meio-dia", { cents: 5170, ignored: true }],
    ["o cliente diz que pagou R$ 51,70 ao meio-dia", { cents: 5170, ignored: true }],
    ["O cliente Raimundo Carvalho pagou 51,70 em 26/11/2026", { cents: 5170, day, ignored: true }],
    ["51,70 31/02/2026", { cents: 5170, day: null }],
    ["51,70 de Raimundo Carvalho em 26/11/2026", { named: { cents: 5170, name: "Raimundo Carvalho" }, day }],
    ["51,70 de João Silva em 26/11/2026".normalize("NFD"), { named: { cents: 5170, name: "João Silva" }, day }],
    ["51,70 em 23 de março".normalize("NFD"), { cents: 5170, day: "2026-03-23" }],
    ["51.70 on November 26th, 2026", { cents: 5170, day }],
    ["51.70 on 26th November", { cents: 5170, day }],
    ["51,70 dia 26", { cents: 5170, day }],
    ["51,70 no dia 27", { cents: 5170, day: "2026-10-27" }],
    ["51,70 dia 31", { cents: 5170, day: "2026-10-31" }],
    ["51,70 em 26/11! ", { cents: 5170, day, ignored: true }],
    ["51 reais e 7 centavos", { cents: 5107 }],
    ["paguei R$ 5 mil", { cents: 500000, ignored: true }],
    ["12 mil reais", { cents: 1200000 }],
    ["R$ 50 mil e 20 reais hoje", { day, externalCode: "R$ 50 mil e 20", name: "R$ 50 mil e 20" }],
    ["51,70 em 26/11 e 27/11/2025", { cents: 5170, day, ignored: true }],
  ];
  for (const [text, expected] of cases) assert.deepEqual(meant(text), expected, text);
});

test("a receipt without its EndToEndId gives its amount and its day", () => {
  const receipt = `Comprovante de transferência
    Valor
    R$ 51,70
    Tarifa R$ 0,00
    Data e hora
    26/11/2026 - 11:52:27
    Quem pagou
    Raimundo Carvalho
    CPF ***.783.097-**
    Instituição 18236120, agência 0001, conta 12345-6`;
  assert.deepEqual(meant(receipt), { cents: 5170, day: "2026-11-26", ignored: true });
  assert.deepEqual(meant(receipt.replaceAll("\n", `\n${"-".repeat(60)}\n`)), { cents: 5170, day: "2026-11-26", ignored: true });
  for (const other of ["Desconto R$ 5,00", "Desconto 5,00", "Desconto de 5 reais"]) {
    assert.equal(meant(`${receipt} ${other}`).cents, undefined, "of several amounts none is known to be that of the payment");
  }
});

test("a day alone is a day, and with something else narrows its search", () => {
  assert.deepEqual(meant("26/11/2026"), { day: "2026-11-26" });
  assert.deepEqual(meant("ontem"), { day: "2026-11-25" });
  assert.deepEqual(meant("31/02/2026"), { day: null });
  assert.deepEqual(meant("Helena ontem"), { externalCode: "Helena ontem", name: "Helena", day: "2026-11-25" });
  assert.deepEqual(meant("Helena pagou ontem"), { externalCode: "Helena pagou ontem", name: "Helena", day: "2026-11-25" });
  assert.deepEqual(meant("pagou ontem"), { day: "2026-11-25" });
  assert.equal(meant("143.096.206-20 26/11/2026").document, "14309620620");
  const { ranges } = planOf(meaningsOf("51,70 em 20/11/2026", now), [], { choice: "recent" }, now);
  const days = { from: "2026-11-19", to: "2026-11-20" };
  assert.deepEqual(ranges.map(({ how }) => "range" in how && how.range.days), [days, days]);
  const [unknown] = planOf(meaningsOf("51,70 em 31/02/2026", now), [], { choice: "recent" }, now).ranges;
  assert.deepEqual(unknown && "range" in unknown.how && unknown.how.range.days, { from: "2026-11-25", to: "2026-11-26" });
});

test("two days are a range", () => {
  const days = { day: "2026-11-01", until: "2026-11-25" };
  for (const text of [
    "Helena Prado 01/11 a 25/11", "Helena Prado de 01/11 até 25/11/2026", "Helena Prado 1 a 25/11", "Helena Prado 01/11-25/11",
    "01/11/2026 - 25/11/2026 Helena Prado",
    "Helena Prado 1 a 25 de novembro", "Helena Prado, 25/11 a 01/11", "Helena Prado November 1 to November 25",
  ]) {
    const { name, day, until } = meant(text);
    assert.deepEqual({ name, day, until }, { name: "Helena Prado", ...days }, text);
  }
  assert.deepEqual(meant("51,70 01/11 a 25/11"), { cents: 5170, ...days });
  assert.deepEqual(meant("01/11 a 25/11"), days);
  assert.deepEqual(meant("20/12 a 05/01"), { day: "2025-12-20", until: "2026-01-05" });
  assert.deepEqual(meant("01/12 a 27/11/2025"), { day: "2025-11-27", until: "2025-12-01" }, "the last day has the year of both");
  assert.deepEqual(meant("30/02 a 05/03"), { day: null });
  assert.deepEqual(meant("51,70 este mês"), { cents: 5170, day: "2026-11-01", until: "2026-11-26" });
  assert.deepEqual(meant("51,70 mês passado"), { cents: 5170, day: "2026-10-01", until: "2026-10-31" });
  assert.deepEqual(meant("51.70 last week"), { cents: 5170, day: "2026-11-16", until: "2026-11-22" });
  assert.equal(meant("51,70 mês").day, undefined);
  const { ranges } = planOf(meaningsOf("51,70 de 01/11 a 25/11", now), [], { choice: "recent" }, now);
  assert.deepEqual(ranges.map(({ how }) => "range" in how && how.range.days), Array(2).fill({ from: days.day, to: days.until }));
});

test("codes and names with digits are no days and no amounts", () => {
  for (const text of ["2026-11-26-0001-A", "PED-26/11/2026", "loja 3/pedido+658231?v=1&ref=#2026 100%", "pedido 26/11/2026/7"]) {
    assert.deepEqual([meant(text).day, meant(text).externalCode], [undefined, text], text);
  }
  const others = ["143.096.206-20", "12.345.678/0001-95", "(11) 98765-4321", "maria.alves@pix.com", "Março Antônio"];
  for (const text of others) assert.equal(meant(text).day, undefined, text);
  assert.deepEqual(meant("Pix Tecnologia"), { externalCode: "Pix Tecnologia", name: "Pix Tecnologia" });
});

test("a name has the words of the text in whatever order", () => {
  const payment: Compared = {
    id: "a", endToEnd: null, endToEndRefund: null, externalCode: null, receiver: null,
    payer: { name: "Raimundo José Carvalho", document: null, pix: null },
  };
  for (const name of ["CARVALHO RAIMUNDO", "raimundo carvalho", "Jose"]) {
    assert.equal(reasonOf(payment, { name, documents: [], keys: [] })?.field, "payerName", name);
  }
  const invisible = { ...payment, payer: { name: "Rai\u00admundo\u200b", document: null, pix: null } };
  assert.equal(reasonOf(invisible, { name: "raimundo", documents: [], keys: [] })?.field, "payerName");
  assert.equal(reasonOf(payment, { name: "Raimundo Pereira", documents: [], keys: [] }), null);
});
