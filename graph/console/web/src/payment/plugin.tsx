import type { GraphiQLPlugin } from "@graphiql/react";
import { useRef, useState, type FormEvent } from "react";
import { useRead, type Ask } from "../ask.ts";
import type { Config } from "../config.ts";
import { localTime, reais } from "../format.ts";
import { NotificationCard } from "./attempts.tsx";
import { DepositPicker } from "./deposits.tsx";
import { notificationDocument, paymentDocument, type Notification, type Payment } from "./documents.ts";
import { webhookOf, webhooksOf, type Webhooks } from "./webhooks.ts";

/** A panel that leads from a payment to the attempts to deliver its webhooks. */
export function paymentPlugin(config: Config, ask: Ask): GraphiQLPlugin {
  return { title: "Webhooks", icon: WebhooksIcon, content: () => <Panel config={config} ask={ask} /> };
}

function Panel({ config, ask }: { config: Config; ask: Ask }) {
  const [transaction, setTransaction] = useState("");
  const [notification, setNotification] = useState("");
  const [{ value: webhooks, reading, problem }, read] = useRead<Webhooks>();
  const result = useRef<HTMLDivElement>(null);
  const readPayment = async (id: string) =>
    webhooksOf(await ask<{ transaction: Payment | null }>(paymentDocument, { id }), config.links);
  const readNotification = async (id: string) =>
    webhookOf(await ask<{ notification: Notification | null }>(notificationDocument, { id }));
  const pick = (id: string) => {
    setTransaction(id);
    result.current?.scrollIntoView({ block: "nearest" }); // the table of deposits is below the result
    read(() => readPayment(id));
  };
  return (
    <section aria-label="Webhooks" className="console-panel payment">
      <h2 className="graphiql-doc-explorer-title">Why did no webhook arrive?</h2>
      <IDForm label="Transaction id" button="Show webhooks" id={transaction} setID={setTransaction} submit={() => read(() => readPayment(transaction))} />
      <IDForm
        label="Notification id"
        button="Show notification"
        id={notification}
        setID={setNotification}
        submit={() => read(() => readNotification(notification))}
      />
      <div ref={result}>
        <div role="status">
          {reading && <p>Reading…</p>}
          {problem !== null && <p>{problem}</p>}
        </div>
        {webhooks && <Result webhooks={webhooks} />}
      </div>
      <DepositPicker ask={ask} pages={config.pageNumber} pick={pick} />
    </section>
  );
}

function Result({ webhooks: { payment, notifications, notes } }: { webhooks: Webhooks }) {
  return (
    <section aria-label="Result" className="payment-result">
      {payment && (
        <p>
          Payment of <strong>{reais(payment.amount)}</strong>, {payment.statusRaw}, created {localTime(payment.createdAt) ?? payment.createdAt}
        </p>
      )}
      <div role="status">
        {notes.map((note) => <p key={note}>{note}</p>)}
      </div>
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
