import assert from "node:assert/strict";
import { test } from "node:test";
import { parseExact } from "../src/base/exact.ts";
import { cellOf } from "../src/payments/list/excel.ts";
import { fileOf } from "../src/payments/find/foundfile.ts";
import type { DepositRow, WithdrawalRow } from "../src/payments/rows/rowdata.ts";

test("what was found is a file that Excel in Portuguese reads, with nothing that it evaluates or changes", () => {
  const row = (change: object) => ({
    id: "12e34567", createdAt: "2026-11-26T02:30:00.5Z", amount: 5170, amountPaid: null, statusRaw: "PAID", endToEnd: "E1", paymentDate: null,
    payer: { name: "Ana" }, ...change,
  }) as DepositRow;
  const rows = [
    row({}), row({ amount: 7, payer: { name: '=HYPERLINK("x")' }, statusRaw: "NEW", id: "00123" }),
    row({ amount: parseExact("9007199254740991"), payer: { name: 'A;"B"' } }),
    row({ payer: null, endToEnd: null, createdAt: "2026-11-26T02:30:00", paymentDate: "2026-11-26T03:00:00Z", amount: -100 }),
  ];
  const file = fileOf(rows, { head: ["Criado em", "Situação"], statuses: { PAID: "Pago" } });
  const withdrawal = { ...row({ payer: { name: "Payer" }, processedDate: "2026-11-26T03:00:00Z", receiver: { name: "Bia" } }) } as Partial<DepositRow>;
  delete withdrawal.paymentDate; // a search selects the payer of withdrawals too
  assert.match(fileOf([withdrawal as unknown as WithdrawalRow], { head: [], statuses: {} }), /;26\/11\/2026 00:00:00;PAID;Bia;/);
  assert.deepEqual(file.split("\r\n"), [
    "\ufeffCriado em;Situação",
    '25/11/2026 23:30:00;;Pago;Ana;51,70;="E1";="12e34567"'.replaceAll(/="(.*?)"/g, '"=""$1"""'),
    '25/11/2026 23:30:00;;NEW;"\'=HYPERLINK(""x"")";0,07;"=""E1""";"=""00123"""',
    '25/11/2026 23:30:00;;Pago;"A;""B""";90071992547409,91;"=""E1""";"=""12e34567"""',
    '2026-11-26T02:30:00;26/11/2026 00:00:00;Pago;;-1,00;;"=""12e34567"""',
    "",
  ]);
});

test("no text is evaluated, whatever is before its formula", () => {
  const cases: [string, string][] = [
    ["\t=1+1", `"\t'=1+1"`], ["\u200b=1", `"\u200b'=1"`], ["＝1+1", `"'＝1+1"`], ["a\t=1", `"a\t'=1"`], ["a,=b", `"a,'=b"`], ['"=b', `"""'=b"`],
    ["-b", `"'-b"`], ["10/11", '"=""10/11"""'], ["=".repeat(300), `"'${"=".repeat(300)}"`], ["Ana-Maria", "Ana-Maria"],
  ];
  for (const [text, cell] of cases) assert.equal(cellOf(text), cell, JSON.stringify(text));
});
