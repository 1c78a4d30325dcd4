import { useEffect, useMemo, useRef, type MouseEvent, type ReactNode } from "react";
import type { Config } from "../../base/config.ts";
import { digitsOf } from "../../base/exact.ts";
import { amountText } from "../../base/money.ts";
import { useObservable } from "../../base/observable.ts";
import type { Gateway } from "../gateway.ts";
import { Amount } from "../parts/amount.tsx";
import { Identifier } from "../parts/identifier.tsx";
import { Moment } from "../parts/moment.tsx";
import { Status } from "../parts/status.tsx";
import { Name } from "../parts/text.tsx";
import { goTo, hrefOf, type Route } from "../route.ts";
import { parts } from "../words/parts.ts";
import { rows as section } from "../words/rows.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { PaidLine } from "./paidline.tsx";
import type { DepositRow, WithdrawalRow } from "./rowdata.ts";
import { WebhooksCell } from "./webhookscell.tsx";
import { WebhookReader, type Webhooks } from "./webhooks.ts";

interface Props<Row> {
  /** The nodes of a list, in the order in which they are shown. */
  rows: readonly (Row | null)[];
  gateway: Gateway;
  config: Config;
  /** The name of the table, if it is not "Deposits" or "Withdrawals". */
  label?: string;
  /** What is added below the name of a row, such as why it was found. */
  note?: (row: Row) => ReactNode;
  /**
   * What is added below the time of its creation, such as that of its payment. Without it a row has that and the EndToEndId
   * below the name.
   */
  timeNote?: (row: Row) => ReactNode;
}

/**
 * Deposits, each with a link to its transaction, or to the deposit itself if no transaction has its id. The webhooks of rows
 * that the user sees are read.
 */
export function DepositRows({ rows, gateway, config, label, note, timeNote }: Props<DepositRow>) {
  const words = useWords(section);
  const reader = useMemo(() => new WebhookReader(gateway, config.links), [gateway, config.links]);
  const read = useObservable(reader.read);
  const reading = useObservable(reader.reading);
  const body = useRowsInView(reader, rows);
  const clicked = useRef<DepositRow>(null);
  const open = async (row: DepositRow) => {
    clicked.current = row;
    const at = location.hash;
    const webhooks = await reader.known(row.id);
    if (clicked.current === row && location.hash === at) goTo(depositRoute(row, webhooks)); // another row or page may have been chosen
  };
  const unread = rows.filter((row) => row !== null && read.get(row.id)?.state === "unread").length;
  return (
    <>
      <div className={scrollOf(rows)}>
        <table className="payment-rows cards" aria-label={label ?? words.deposits}>
          <Head party={words.payer} webhooks={config.links} />
          <tbody ref={body}>
            {rows.map((row, index) => row === null ? <InvalidRow key={index} /> : (
              <tr key={row.id} data-id={row.id} onClick={opening(() => void open(row))}>
                <Cells
                  row={row} to={depositRoute(row, read.get(row.id))} open={read.has(row.id) ? undefined : () => void open(row)}
                  name={row.payer?.name} what={words.depositId} note={note?.(row)} timeNote={timeNote?.(row)}
                >
                  {config.links && <WebhooksCell webhooks={read.get(row.id)} reading={reading.has(row.id)} />}
                </Cells>
                <td className="number">
                  <Amount cents={row.amount} />
                  <Paid row={row} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {config.links && unread > 0 && <Unread count={unread} again={() => reader.again()} />}
    </>
  );
}

/** The amount that was paid, if it is not the amount to pay. */
function Paid({ row: { amount, amountPaid } }: { row: DepositRow }) {
  const words = useWords(section);
  const locale = useLocale();
  if (amountPaid === null || digitsOf(amountPaid) === digitsOf(amount)) return null;
  return <div className="fine">{words.paid(amountText(digitsOf(amountPaid), locale) ?? "")}</div>;
}

/** Withdrawals, each with a link to it. */
export function WithdrawalRows({ rows, label, note, timeNote }: Props<WithdrawalRow>) {
  const words = useWords(section);
  return (
    <div className={scrollOf(rows)}>
      <table className="payment-rows cards" aria-label={label ?? words.withdrawals}>
        <Head party={words.receiver} webhooks={false} />
        <tbody>
          {rows.map((row, index) => row === null ? <InvalidRow key={index} /> : (
            <tr key={row.id} data-id={row.id} onClick={opening(() => goTo({ view: "withdrawal", id: row.id }))}>
              <Cells
                row={row} to={{ view: "withdrawal", id: row.id }} name={row.receiver?.name} what={words.withdrawalId}
                note={note?.(row)} timeNote={timeNote?.(row)}
              />
              <td className="number"><Amount cents={row.amount} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Where a deposit leads. As long as it is not known whether it has a transaction, a link leads to that, and a click waits. */
export function depositRoute({ id, createdAt }: Pick<DepositRow, "id" | "createdAt">, webhooks: Webhooks | undefined): Route {
  return webhooks?.state === "absent" ? { view: "deposit", id, createdAt } : { view: "transaction", id };
}

/** Many rows scroll below their head. */
export function scrollOf(rows: readonly unknown[]): string {
  return rows.length > 25 ? "table-scroll" : "table-scroll rows-few";
}

/** A click anywhere in a row opens its payment, except on a control, or if the user has selected text. */
export function opening(open: () => void) {
  return ({ target }: MouseEvent) => {
    if (!(target as Element).closest("a, button") && getSelection()?.isCollapsed !== false) open();
  };
}

function Head({ party, webhooks }: { party: string; webhooks: boolean }) {
  const words = useWords(section);
  return (
    <thead>
      <tr>
        <th scope="col">{words.created}</th>
        <th scope="col">{party}</th>
        <th scope="col">{words.status}</th>
        {webhooks && <th scope="col">{words.webhooks}</th>}
        <th scope="col" className="row-id">{words.id}</th>
        <th scope="col" className="number">{words.amount}</th>
      </tr>
    </thead>
  );
}

interface CellsProps {
  row: DepositRow | WithdrawalRow;
  to: Route;
  /** What a click does in place of following the link. */
  open?: (() => void) | undefined;
  name: string | undefined;
  what: string;
  note: ReactNode;
  timeNote: ReactNode;
  children?: ReactNode;
}

function Cells({ row, to, open, name, what, note, timeNote, children }: CellsProps) {
  const words = useWords(section);
  const click = (event: MouseEvent) => {
    if (open === undefined || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return; // a new tab, for example
    event.preventDefault();
    open();
  };
  return (
    <>
      <td className="row-time">
        <a href={hrefOf(to)} onClick={click}><Moment at={row.createdAt} /></a>
        {timeNote && <div className="fine">{timeNote}</div>}
      </td>
      <td className="row-party">
        {name === null || name === undefined ? words.notPaid : <Name>{name}</Name>}
        {timeNote === undefined && <PaidLine row={row} />}
        {note && <div className="fine">{note}</div>}
      </td>
      <td className="row-status"><Status status={row.statusRaw} /></td>
      {children}
      <td className="row-id"><Identifier id={row.id} what={what} /></td>
    </>
  );
}

function InvalidRow() {
  const words = useWords(section);
  return <tr><td colSpan={6} className="fine">{words.invalid}</td></tr>;
}

function Unread({ count, again }: { count: number; again: () => void }) {
  const words = useWords(section);
  const common = useWords(parts);
  return (
    <p className="fine row-unread" role="status">
      {words.someUnread(count)} <button type="button" className="button" onClick={again}>{common.again}</button>
    </p>
  );
}

/** Makes a reader read what the rows that the user sees need. */
function useRowsInView(reader: WebhookReader, rows: readonly (DepositRow | null)[]) {
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => () => reader.stop(), [reader]);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const id = (target as HTMLElement).dataset["id"];
        if (id !== undefined) isIntersecting ? reader.want(id) : reader.cancel(id);
      }
    });
    for (const row of body.current?.rows ?? []) observer.observe(row);
    return () => observer.disconnect();
  }, [reader, rows]);
  return body;
}
