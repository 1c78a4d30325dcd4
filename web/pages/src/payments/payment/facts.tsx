import { useContext } from "react";
import { digitsOf } from "../../base/exact.ts";
import { Facts, type Fact } from "../../base/facts.tsx";
import { Amount } from "../parts/amount.tsx";
import { Identifier } from "../parts/identifier.tsx";
import { Moment, timeText } from "../parts/moment.tsx";
import { Panel } from "../parts/panel.tsx";
import { Name } from "../parts/text.tsx";
import { quantity } from "../../base/money.ts";
import { FeesContext, useFee } from "../parts/fees.ts";
import { payment as words } from "../words/payment.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { documentText } from "./holder.ts";
import type { Deposit, Holder, Payment, Transaction, Withdrawal } from "./documents.ts";

/** The values of a record, with those that only its kind has. */
export function Details({ record, own }: { record: Payment; own: Fact[] }) {
  const w = useWords(words);
  const locale = useLocale();
  const receipt = (of: Payment["paymentReceipt"], name: string) => of && isWeb(of.url) && (
    <><a href={of.url} target="_blank" rel="noopener noreferrer">{name}</a> <span className="fine">{w.until(timeText(of.expirationDate, locale))}</span></>
  );
  const rows: Fact[] = [
    [w.id, <Identifier id={record.id} what={w.id} />],
    [w.externalCode, record.externalCode !== null && <Identifier id={record.externalCode} what={w.externalCode} whole />],
    [w.endToEnd, record.endToEnd !== null && <Identifier id={record.endToEnd} what={w.endToEnd} whole />],
    ...own,
    [w.fee, record.feeAmount !== null && <Fee of={record.feeAmount} />],
    [w.refundedOn, record.refundDate && <Moment at={record.refundDate} seconds />],
    [w.refundAmount, record.refundAmount !== null && <Amount cents={record.refundAmount} />],
    [w.endToEndRefund, record.endToEndRefund !== null && <Identifier id={record.endToEndRefund} what={w.endToEndRefund} whole />],
    [w.acquirer, <Name>{record.acquirer}</Name>],
    [w.receipt, receipt(record.paymentReceipt, w.receipt)],
    [w.refundReceipt, receipt(record.refundReceipt, w.refundReceipt)],
  ];
  return <Panel title={w.details}><Facts className="facts" rows={rows} /></Panel>;
}

function Fee({ of }: { of: unknown }) {
  const isKnown = useContext(FeesContext) !== "unknown";
  const shown = useFee()(digitsOf(of));
  return isKnown && shown !== null ? <span className="amount" title={shown.exact ?? undefined}>{shown.text}</span> : <Quantity of={of} />;
}

/** A number whose unit the API does not document. */
function Quantity({ of }: { of: unknown }) {
  const { unitUnknown } = useWords(words);
  const digits = digitsOf(of);
  return <>{quantity(digits, useLocale())?.text ?? digits} <span className="fine">{unitUnknown}</span></>;
}

/** The values that a deposit, and a transaction, has. */
export function useDepositRows(deposit: Deposit | Transaction): Fact[] {
  const w = useWords(words);
  const locale = useLocale();
  return [
    [w.paid, deposit.paymentDate && <Moment at={deposit.paymentDate} seconds />],
    [w.amountPaid, deposit.amountPaid !== null && <Amount cents={deposit.amountPaid} />],
    ..."infractionDate" in deposit ? [
      [w.disputedOn, deposit.infractionDate && <Moment at={deposit.infractionDate} seconds />],
      [w.disputedAmount, deposit.infractionAmount !== null && <Amount cents={deposit.infractionAmount} />],
      [w.customer, deposit.customer && <><Name>{deposit.customer.name}</Name> <Name>{documentText(deposit.customer.document?.value ?? "")}</Name></>],
      [w.items, deposit.items && deposit.items.map((item, index) => item && <div key={index}>{quantity(digitsOf(item.quantity), locale)?.text} × <Name>{item.title}</Name>, <Amount cents={item.unitPrice} /></div>)],
    ] satisfies Fact[] : [],
  ];
}

/** The values that a withdrawal has. */
export function useWithdrawalRows(withdrawal: Withdrawal): Fact[] {
  const w = useWords(words);
  return [
    [w.processed, withdrawal.processedDate && <Moment at={withdrawal.processedDate} seconds />],
    [w.amountWithdrawn, withdrawal.amountWithdrawn !== null && <Quantity of={withdrawal.amountWithdrawn} />],
    [w.pixKey, withdrawal.pixKey && <Identifier id={withdrawal.pixKey.key} what={w.pixKey} whole />],
  ];
}

/** Who paid, and who was paid. */
export function Parties({ record: { payer, receiver } }: { record: Payment }) {
  const w = useWords(words);
  if (payer === null && receiver === null) return null;
  return (
    <div className="columns">
      {payer && <Party title={w.payer} holder={payer} />}
      {receiver && <Party title={w.receiver} holder={receiver} />}
    </div>
  );
}

function Party({ title, holder }: { title: string; holder: Holder }) {
  const w = useWords(words);
  return (
    <Panel title={title}>
      <p><strong><Name>{holder.name}</Name></strong></p>
      <Facts className="facts" rows={[
        [w.document, holder.document !== "" && <Name>{documentText(holder.document)}</Name>],
        [w.pixKey, holder.pix && <Name>{holder.pix.key}</Name>],
        [w.bank, holder.bankAccount && <Identifier id={holder.bankAccount.ispb} what={w.bank} whole />],
      ]} />
    </Panel>
  );
}

/** Whether a URL of a record can be a link: others, such as javascript:, would run in the page. */
export function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url);
}
