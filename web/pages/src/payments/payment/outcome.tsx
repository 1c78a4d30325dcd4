import { Amount } from "../parts/amount.tsx";
import { digitsOf } from "../../base/exact.ts";
import { amountText } from "../../base/money.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Text } from "../parts/text.tsx";
import { payment as words } from "../words/payment.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { isNoTime } from "../zone.ts";
import type { Deposit, Withdrawal } from "./documents.ts";

/** The statuses of a payment that did not happen, or not to its end. */
const failed: ReadonlySet<string> = new Set(["FAILED", "REJECTED", "CANCELED"]);

export type Money = "none" | "moved" | "returned";

/** Whether money moved, as far as a record tells. */
export function moneyOf(record: Deposit | Withdrawal): Money {
  const date = "paymentDate" in record ? record.paymentDate : record.processedDate;
  const amount = "paymentDate" in record ? record.amountPaid : record.amountWithdrawn;
  if (isDated(record.refundDate) || isSome(record.refundAmount)) return "returned";
  return isDated(date) || isSome(amount) ? "moved" : "none";
}

function isSome(amount: unknown): boolean {
  return /[1-9]/.test(digitsOf(amount) ?? "");
}

function isDated(date: string | null): boolean {
  return date !== null && !isNoTime(date);
}

/** Why a payment or its refund failed; of a failed payment also whether money moved, and what the customer can be told. */
export function Outcome({ record }: { record: Deposit | Withdrawal }) {
  const w = useWords(words);
  const locale = useLocale();
  const errors = [[w.error, record.errorMessage], [w.errorRefund, "errorMessageRefund" in record ? record.errorMessageRefund : null]] as const;
  const money = moneyOf(record);
  const kind = "paymentDate" in record ? "incoming" : "outgoing";
  const paid = "paymentDate" in record && isSome(record.amountPaid) ? record.amountPaid : record.amount;
  const amount = money === "returned" && isSome(record.refundAmount) ? record.refundAmount : paid;
  const told = w.told[kind][money](amountText(digitsOf(amount), locale) ?? "");
  return (
    <>
      {errors.map(([name, text]) => text !== null && text !== "" && <p key={name} className="head-reason"><strong>{name}:</strong> <Text>{text}</Text></p>)}
      {failed.has(record.statusRaw) && (
        <div className="head-reason">
          <p>{w.money[kind][money]} {money !== "none" && <Amount cents={amount} />}</p>
          <p>{w.forCustomer} <q>{told}</q> <CopyButton text={told} what={w.forCustomer} /></p>
        </div>
      )}
    </>
  );
}
