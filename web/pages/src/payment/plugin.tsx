import type { GraphiQLPlugin } from "@graphiql/react";
import { useEffect, useRef, useState, type FormEvent, type RefObject } from "react";
import { useRead, type Ask } from "../ask.ts";
import type { Config } from "../config.ts";
import { localTime, reais } from "../format.ts";
import { useOpen } from "../operations/open.ts";
import { ReadStatus, RequestId, TryAgain } from "../readstatus.tsx";
import { NotificationCard } from "./attempts.tsx";
import { DepositPicker } from "./deposits.tsx";
import type { Offer, Wanted } from "./identify.ts";
import { lookUp } from "./lookup.ts";
import type { Webhooks } from "./webhooks.ts";

/** A panel that leads from a payment to the attempts to deliver its webhooks. */
export function paymentPlugin(config: Config, ask: Ask): GraphiQLPlugin {
  return { title: "Webhooks", icon: WebhooksIcon, content: () => <Panel config={config} ask={ask} /> };
}

function Panel({ config, ask }: { config: Config; ask: Ask }) {
  const [ids, setIDs] = useState({ transaction: "", notification: "" });
  const [state, read] = useRead<Webhooks>();
  const { value: webhooks, again } = state;
  const open = useOpen();
  const result = useRef<HTMLDivElement>(null);
  const leaveFocus = useFocusOnResult(result, webhooks);
  const show = (wanted: Wanted) => {
    setIDs({ ...ids, [wanted.kind]: wanted.id });
    read(() => lookUp(ask, wanted, config.links));
  };
  /** Shows what a button asks for that is not next to the result, or is a part of it. */
  const showFrom = (wanted: Wanted) => {
    leaveFocus();
    result.current?.scrollIntoView({ block: "nearest" });
    show(wanted);
  };
  const repeat = again && (() => {
    leaveFocus();
    again();
  });
  const form = (kind: Wanted["kind"], label: string, button: string) => (
    <IDForm label={label} button={button} id={ids[kind]} setID={(id) => setIDs({ ...ids, [kind]: id })} submit={() => show({ kind, id: ids[kind] })} />
  );
  return (
    <section aria-label="Webhooks" className="console-panel payment">
      <h2 className="graphiql-doc-explorer-title">Why did no webhook arrive?</h2>
      {form("transaction", "Transaction id", "Show webhooks")}
      {form("notification", "Notification id", "Show notification")}
      <div ref={result}>
        <ReadStatus {...state} />
        {webhooks && <Result webhooks={webhooks} again={repeat} take={(offer) => ("show" in offer ? showFrom(offer.show) : open(offer.open))} />}
      </div>
      <DepositPicker ask={ask} pages={config.pageNumber} pick={(id) => showFrom({ kind: "transaction", id, deposit: true })} />
    </section>
  );
}

/**
 * Returns a function for a button whose effect is the next result. When that has come, the focus moves to its heading,
 * unless the user has moved it to another control.
 */
function useFocusOnResult(result: RefObject<HTMLElement | null>, webhooks: Webhooks | undefined): () => void {
  const button = useRef<Element | null>(null);
  useEffect(() => {
    if (webhooks === undefined || button.current === null) return;
    const isFree = [button.current, document.body, null].includes(document.activeElement);
    button.current = null;
    const heading = result.current?.querySelector("h3");
    if (!isFree || !heading) return;
    heading.focus({ preventScroll: true });
    heading.scrollIntoView({ block: "start" });
  }, [webhooks, result]);
  return () => {
    button.current = document.activeElement;
  };
}

interface ResultProps {
  webhooks: Webhooks;
  again: (() => void) | null;
  take: (offer: Offer) => void;
}

function Result({ webhooks: { payment, notifications, notes, offers, errors, requestId }, again, take }: ResultProps) {
  const count = notifications.length;
  const found = count > 0 ? `${count} ${count === 1 ? "notification" : "notifications"}` : errors.length > 0 ? "not known" : "no notification was found";
  return (
    <section aria-label="Result" className="payment-result">
      <h3 tabIndex={-1}>Result: {found}</h3>
      {payment && (
        <p>
          Payment of <strong>{reais(payment.amount)}</strong>, {payment.statusRaw}, created {localTime(payment.createdAt) ?? payment.createdAt}
        </p>
      )}
      <div role="status">
        {[...new Set([...notes, ...errors])].map((note) => <p key={note}>{note}</p>)}
        {requestId !== null && <p><RequestId id={requestId} /></p>}
      </div>
      {errors.length > 0 && <TryAgain again={again} />}
      {offers.map((offer) => (
        <p key={offer.label}>
          {offer.text} <button type="button" className="console-button" onClick={() => take(offer)}>{offer.label}</button>
        </p>
      ))}
      {notifications.map((notification) => <NotificationCard key={notification.id} notification={notification} />)}
    </section>
  );
}

interface IDFormProps {
  label: string;
  button: string;
  id: string;
  setID: (id: string) => void;
  submit: () => void;
}

function IDForm({ label, button, id, setID, submit }: IDFormProps) {
  const send = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form className="console-form" onSubmit={send}>
      <label>
        {label}
        <input required autoComplete="off" spellCheck={false} value={id} onChange={(event) => setID(event.target.value.trim())} />
      </label>
      <button type="submit" className="console-button">{button}</button>
    </form>
  );
}

function WebhooksIcon() {
  return (
    <svg viewBox="0 0 14 14" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
      <path d="M1 3h12v8H1zM1 3l6 5 6-5" />
    </svg>
  );
}
