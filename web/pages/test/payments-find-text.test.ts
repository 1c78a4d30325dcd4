import assert from "node:assert/strict";
import { test } from "node:test";
import { brCodeIn } from "../src/payments/find/brcode.ts";
import { nearness } from "../src/payments/find/endtoend.ts";
import { hasPart, partOf, type Part } from "../src/payments/find/part.ts";
import { reasonOf, sameMasked, type Compared, type Wanted } from "../src/payments/find/match.ts";
import { cleaned, meaningsOf, type Meanings } from "../src/payments/find/text.ts";

const uuid = "f2dc7925-3b96-4b1f-a7ad-3351051ce9fc";
const endToEnd = "E60746948202611260058kSER8TSz41G";

/** The meanings of a text without the text, and without an empty list of keys. */
function meant(text: string): Partial<Meanings> {
  const { text: _, keys, ...others } = meaningsOf(text);
  return { ...others, ...(keys.length > 0 && { keys }) };
}

test("an id is read in whatever an e-mail makes of it", () => {
  const expected = { uuid, keys: [uuid], externalCode: uuid };
  for (const text of [uuid, ` ${uuid}\n`, `"${uuid}"`, `“${uuid}”,`, `> f2dc7925-3b96-4b1f-\n> a7ad-3351051ce9fc`, `<${uuid}>.`, `\u200b${uuid}`]) {
    assert.deepEqual(meant(text), expected, text);
  }
  assert.equal(meant(uuid.toUpperCase()).uuid, uuid);
  assert.equal(meant(`https://pix.example/payments#/transaction/${uuid}`).uuid, uuid);
  assert.equal(meant(uuid.replaceAll("-", "–")).uuid, uuid);
  assert.deepEqual(meant(`${uuid} ${uuid.replace("f", "e")}`), { several: true }, "two ids are no id");
});

test("an EndToEndId has the minute of its bank, in UTC", () => {
  const read = meant(`EndToEndId: ${endToEnd}`).endToEnd;
  assert.deepEqual(read, { id: endToEnd, refund: false, minute: new Date("2026-11-26T00:58:00Z") });
  assert.equal(meant(endToEnd.replace("E", "D")).endToEnd?.refund, true);
  assert.equal(meant("E6074694820261126\n0058kSER8TSz41G").endToEnd?.id, endToEnd);
  assert.equal(meant(endToEnd.replace("202611260058", "202613260058")).endToEnd, undefined, "there is no month 13");
  for (const text of [endToEnd.replace(/.{8}/g, "$&."), endToEnd.replace(/.{4}/g, "$&-"), endToEnd.replace("0058", "OO58").replace("11", "Il")]) {
    assert.equal(meant(text).endToEnd?.id, endToEnd, text);
  }
  const refund = endToEnd.replace("E", "D");
  assert.equal(meant(`Devolução ${refund} da transação ${endToEnd}`).endToEnd?.id, endToEnd, "a receipt of a refund");
  assert.deepEqual(meant(`${endToEnd} ${endToEnd.replace("k", "x")}`), { several: true });
});

test("an EndToEndId of hexadecimal digits is one, although it is also a UUID without hyphens", () => {
  const read = (id: string, change: object = {}) => ({ endToEnd: { id, refund: id.startsWith("D"), minute: new Date("2026-11-23T14:05:00Z"), ...change } });
  const numeric = "E9999000020261123140512345678901";
  for (const text of [numeric, "E99990000 202611231405 12345678901", `ID: ${numeric}`]) assert.deepEqual(meant(text), read(numeric), text);
  assert.deepEqual(meant(numeric.toLowerCase()), read(numeric, { recased: true }));
  for (const id of [numeric.replace("E", "D"), "E99990000202611231405abcdef12345"]) assert.deepEqual(meant(id), read(id));
  assert.equal(meant("e9999000020261323140512345678901").uuid, "e9999000-0202-6132-3140-512345678901", "there is no month 13");
});

test("what looks like an EndToEndId is one with an error", () => {
  const minute = new Date("2026-11-26T00:58:00Z");
  for (const text of [endToEnd.slice(0, -1), endToEnd.slice(0, 21), `${endToEnd}xyz1`, endToEnd.replace("E607", "E67"), endToEnd.replace("E607", "E6007")]) {
    assert.deepEqual(meant(text), { mistyped: { id: text, refund: false, minute }, externalCode: text }, text);
  }
  assert.equal(meant(`ID: ${endToEnd.slice(0, -1)}`).mistyped?.id, endToEnd.slice(0, -1));
  const without = { id: endToEnd.replace("202611260058", "202613260058"), refund: false, minute: null };
  assert.deepEqual(meant(without.id).mistyped, without, "there is no month 13");
  assert.equal(meant("E6074694820261").mistyped, undefined, "too short");
  assert.equal(meant(`${endToEnd}12345`).mistyped, undefined, "too long");
});

test("a mistyped EndToEndId is near by one character, or by its bank and time", () => {
  assert.equal(nearness(endToEnd, endToEnd.toLowerCase().slice(0, -1)), "edit");
  assert.equal(nearness(endToEnd, endToEnd.replace("k", "kk")), "edit");
  assert.equal(nearness(endToEnd, endToEnd.replace("E60746948", "E60746949")), "edit");
  assert.equal(nearness(endToEnd, endToEnd.replace("TSz", "TzS")), "edit");
  assert.equal(nearness(endToEnd, endToEnd.slice(0, 29)), "start");
  assert.equal(nearness(endToEnd, endToEnd.replace("0058k", "0158k").slice(0, 29)), null);
});

test("a part of an id is that which the page shows, or its beginning", () => {
  const cases: [string, Part | null][] = [
    ["f2dc7925…e9fc", { start: "f2dc7925", end: "e9fc" }],
    ["F2DC7925...E9FC", { start: "f2dc7925", end: "e9fc" }],
    ["E6074694…z41G", { start: "e6074694", end: "z41g" }],
    ["f2dc7925", { start: "f2dc7925", end: "" }],
    ["f2dc7925…", { start: "f2dc7925", end: "" }],
    ["f2dc7925-3b96-4b", { start: "f2dc79253b964b", end: "" }],
    ["12345678", { start: "12345678", end: "" }],
    ["f2dc792", null], ["f2dc79-253b96", null], ["11987654321", null], ["6a439fac2f8468b8d4df32f1", null], [uuid, null],
  ];
  for (const [text, part] of cases) assert.deepEqual(partOf(text), part, text);
  assert.deepEqual(meant("f2dc7925…e9fc"), { part: { start: "f2dc7925", end: "e9fc" } });
  assert.equal(meant(uuid.replaceAll("-", "")).uuid, uuid, "without hyphens");
  assert.ok(hasPart(uuid, { start: "f2dc79253b96", end: "" }));
  assert.ok(!hasPart("f2dc7925", { start: "f2dc79", end: "7925" }), "the parts do not overlap");
});

test("an amount with a name is both", () => {
  for (const text of ["51,70 Raimundo", "Raimundo 51,70", "R$ 51,70, Raimundo", "Raimundo - R$ 51,7", "51,70 de Raimundo"]) {
    assert.deepEqual(meant(text), { named: { cents: 5170, name: "Raimundo" } }, text);
  }
  assert.deepEqual(meant("1.234,56 Padaria do Sul"), { named: { cents: 123456, name: "Padaria do Sul" } });
  for (const text of ["Loja 3", "51,70", "0,00 Raimundo", "51,70 x"]) assert.equal(meant(text).named, undefined, text);
});

test("amounts are read as people write them", () => {
  for (const [text, cents] of [["51,70", 5170], ["R$ 51,70", 5170], ["R$\u00a01.234,56", 123456], ["51.70", 5170], ["1,234.56", 123456], ["5", 500]] as const) {
    assert.equal(meant(text).cents, cents, text);
  }
  for (const text of ["0", "0,00", "51,7a", "12:30"]) assert.equal(meant(text).cents, undefined, text);
});

test("a text is tried as everything that it may be", () => {
  const cases: [string, Partial<Meanings>][] = [
    ["083.880.907-39", { document: "08388090739", keys: ["083.880.907-39"] }],
    ["***.783.097-**", { document: "***783097**" }],
    ["•••.783.097-••", { document: "***783097**" }],
    ["CPF: xxx.783.097-xx", { document: "***783097**" }],
    ["-51,70", { cents: 5170 }],
    ["- R$ 51,70", { cents: 5170 }],
    ["51,70 D", { cents: 5170 }],
    ["+51,70", { cents: 5170 }],
    ["Raimundo Carvalho CPF ***.783.097-**", { document: "***783097**", ignored: true }],
    ["Raimundo Carvalho - 529.982.247-25", { document: "52998224725", keys: ["529.982.247-25"], ignored: true }],
    ["nº 10452", { externalCode: "10452" }],
    ["# 10452", { externalCode: "10452" }],
    ["NF 10452", { externalCode: "10452" }],
    ["#10452", { externalCode: "10452" }],
    ["pedido 10452", { externalCode: "10452" }],
    ["Pedido nº PED-2026-742692", { externalCode: "PED-2026-742692" }],
    ["Código externo: 10452", { externalCode: "10452" }],
    ["pedido novo1", { externalCode: "novo1" }],
    ["pedido 51,70", { named: { cents: 5170, name: "pedido" } }],
    ["pedido10452", { externalCode: "pedido10452", notification: "pedido10452" }],
    ["PED-123", { externalCode: "PED-123" }],
    ["**.71W.54R/****-**", { document: "**71W54R******" }],
    ["73.181.431/0001-75", { document: "73181431000175", keys: ["73.181.431/0001-75"] }],
    ["11987654321", { document: "11987654321", keys: ["11987654321", "+5511987654321"], externalCode: "11987654321", notification: "11987654321" }],
    ["(11) 98765-4321", { keys: ["(11) 98765-4321"] }],
    ["+55 11 98765-4321", { keys: ["+55 11 98765-4321"] }],
    ["\u202a+55 11 98765\u20114321\u202c", { keys: ["+55 11 98765-4321"] }],
    ["maria.alves73@example.org", { keys: ["maria.alves73@example.org"] }],
    ["PED-2026-742692", { externalCode: "PED-2026-742692", notification: "PED-2026-742692" }],
    ["6a439fac2f8468b8d4df32f1", { externalCode: "6a439fac2f8468b8d4df32f1", notification: "6a439fac2f8468b8d4df32f1" }],
    ["Júlia", { name: "Júlia" }],
    ["Padaria Estrela do Sul", { externalCode: "Padaria Estrela do Sul", name: "Padaria Estrela do Sul" }],
    ["x", {}],
    ["***********", {}],
    ["", {}],
    ["a".repeat(10_001), {}],
  ];
  for (const [text, expected] of cases) assert.deepEqual(meant(text), expected, text);
});

test("punctuation that belongs to the text stays", () => {
  assert.equal(cleaned("(11) 98765-4321"), "(11) 98765-4321");
  assert.equal(cleaned("(R$ 51,70)"), "R$ 51,70");
  assert.equal(cleaned("loja 3/pedido+658231?v=1&ref=#2026 100%"), "loja 3/pedido+658231?v=1&ref=#2026 100%");
  assert.equal(cleaned("Café da Praça (matriz)"), "Café da Praça (matriz)");
});

test("a Pix code gives its amount", () => {
  const text = "00020126330014br.gov.bcb.pix0111123456789095204000053039865405" + "51.705802BR5913Fulano de Tal6008BRASILIA62070503***6304ABCD";
  for (const pasted of [
    text, ` ${text}\n`, `Pix Copia e Cola: ${text}`, `Pix Copia e Cola\n${text}\nVence hoje`, `"${text}".`, `\ufeff${text}\u200e`, `> ${text}`,
  ]) {
    assert.deepEqual(meant(pasted), { brCode: { text } }, pasted);
  }
  const broken = `${text.slice(0, 60)}\n${text.slice(60)}`;
  assert.deepEqual(brCodeIn(broken), { text: broken }, "the gateway reads line breaks");
  assert.deepEqual(brCodeIn(text.slice(0, -60)), { text: text.slice(0, -60) });
  for (const other of ["51,70", "pedido 00020112345", "1000201"]) assert.equal(brCodeIn(other), null, other);
});

test("a label before a value is no part of it", () => {
  const cpf = { document: "52998224725", keys: ["529.982.247-25"] };
  const cases: [string, Partial<Meanings>][] = [
    ["CPF: 529.982.247-25", cpf],
    ["CPF:\n529.982.247-25", cpf],
    ["CPF 529.982.247-25", cpf],
    ["CPF/CNPJ do pagador: 529.982.247-25", cpf],
    ["Chave Pix: caixa@loja.example", { keys: ["caixa@loja.example"] }],
    ["Chave Pix\ncaixa@loja.example", { keys: ["caixa@loja.example"] }],
    ["\ufeffcaixa@loja.example\u200e", { keys: ["caixa@loja.example"] }],
    ["Chave: (11) 98765-4321", { keys: ["(11) 98765-4321"] }],
    ["Nome: Maria Alves", { name: "Maria Alves", externalCode: "Maria Alves" }],
    ["AB.CDE.FGH/IJKL-80", { document: "ABCDEFGHIJKL80", keys: ["AB.CDE.FGH/IJKL-80"] }],
    ["CNPJ: ab.cde.fgh/ijkl-80", { document: "ABCDEFGHIJKL80", keys: ["ab.cde.fgh/ijkl-80"] }],
    ["PED: 2026-11-26-0001", { externalCode: "PED: 2026-11-26-0001", name: "PED: 2026-11-26-0001" }],
    ["Pix Tecnologia", { externalCode: "Pix Tecnologia", name: "Pix Tecnologia" }],
    ["Celular Express Ltda", { externalCode: "Celular Express Ltda", name: "Celular Express Ltda" }],
  ];
  for (const [text, expected] of cases) assert.deepEqual(meant(text), expected, text);
  assert.equal(meant(`ID da transação: ${endToEnd.slice(0, 9)} ${endToEnd.slice(9)}`).endToEnd?.id, endToEnd);
  for (const label of ["Código: ", "txid "]) assert.equal(meant(label + uuid.replaceAll("-", "")).uuid, uuid);
});

test("a masked document is possibly the same, if enough of it is not masked", () => {
  assert.equal(sameMasked("143.096.206-20", "14309620620"), true);
  assert.equal(sameMasked("***.096.206-**", "14309620620"), false);
  assert.equal(sameMasked("***.096.206-**", "***096206**"), false);
  assert.equal(sameMasked("***.096.206-**", "14309620720"), null);
  assert.equal(sameMasked("***.***.***-20", "14309620620"), null, "two characters fit too many");
  assert.equal(sameMasked("143.096.206-20", "143096206"), null);
  assert.equal(sameMasked("a.b@example.org", "ab@example.org"), null, "dots are part of an address");
});

test("a payment says by what it was found, the certain first", () => {
  const party = (name: string, document: string, key: string) => ({ name, document, pix: { key } });
  const payment: Compared = {
    id: uuid, endToEnd, endToEndRefund: null, externalCode: "PED-2026-742692", payer: party("João  Conceição", "***.783.097-**", "joao@example.org"),
    receiver: party("Café da Praça", "73.181.431/0001-75", "+555133255259"), pixResponse: { uri: "000201" },
  };
  const by = (wanted: Partial<Wanted>) => {
    const reason = reasonOf(payment, { documents: [], keys: [], ...wanted });
    return reason && [reason.field, reason.doubt];
  };
  assert.deepEqual(by({ id: uuid }), ["id", null]);
  assert.deepEqual(by({ endToEnd }), ["endToEnd", null]);
  assert.deepEqual(by({ externalCode: "ped-2026-742692" }), ["externalCode", null]);
  assert.deepEqual(by({ name: "joao conceicao" }), ["payerName", null]);
  assert.deepEqual(by({ name: "CAFÉ" }), ["receiverName", null]);
  assert.deepEqual(by({ documents: ["12378309700"] }), ["payerDocument", "masked"]);
  assert.deepEqual(by({ documents: ["12378309700"], id: uuid }), ["id", null]);
  assert.deepEqual(by({ keys: ["+555133255259"] }), ["receiverKey", null]);
  assert.deepEqual(by({ pixCode: { text: "0002 01" } }), ["pixCode", null], "an e-mail breaks its lines");
  assert.deepEqual(by({ part: { start: "f2dc7925", end: "" } }), ["id", null]);
  assert.deepEqual(by({ part: { start: "e6074694", end: "z41g" } }), ["endToEnd", null]);
  assert.deepEqual(by({ mistyped: endToEnd.slice(0, -1) }), ["endToEnd", "edit"]);
  assert.deepEqual(by({ mistyped: endToEnd.slice(0, 28) }), ["endToEnd", "start"]);
  assert.deepEqual(by({ endToEnd: endToEnd.replace("kSER", "SkER") }), ["endToEnd", "edit"]);
  assert.equal(by({ endToEnd: `${endToEnd.slice(0, 28)}0000` }), null, "another payment of the bank in the same minute");
  assert.equal(by({ name: "maria", documents: ["12378309800"], keys: ["x@example.org"], pixCode: { text: "0002" } }), null);
});

test("a Pix code that is cut or mistyped is found by its charge or its beginning, and says so", () => {
  const uri = "00020101021226770014BR.GOV.BCB.PIX2555pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a995204000053039865802BR63041234";
  const payment: Compared = { id: uuid, endToEnd: null, endToEndRefund: null, externalCode: null, payer: null, receiver: null, pixResponse: { uri } };
  const by = (text: string, facts: object) => reasonOf(payment, { documents: [], keys: [], pixCode: { text, ...facts } })?.doubt;
  const url = "pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a99";
  assert.equal(by(uri, {}), null);
  assert.equal(by(uri.slice(0, -20), { fault: "cut", url }), null);
  assert.equal(by(uri.slice(0, 70), { fault: "cut", url: null }), "codeStart");
  assert.equal(by(uri.slice(0, 40), { fault: "cut", url: null }), undefined, "so many begin each code of a receiver");
  assert.equal(by(uri.replace("1234", "1235"), { fault: "changed", url: null }), "edit");
  assert.equal(by(uri.replace("8a99", "8b00"), { fault: "changed", url: "pix.example.com/qr/another" }), undefined);
});
