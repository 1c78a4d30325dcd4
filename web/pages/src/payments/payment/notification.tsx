import { Amount } from "../parts/amount.tsx";
import { Panel } from "../parts/panel.tsx";
import { useReading } from "../parts/read.ts";
import { Status } from "../parts/status.tsx";
import { hrefOf } from "../route.ts";
import type { View } from "../view.ts";
import { payment as words } from "../words/payment.ts";
import { useWords } from "../words/words.tsx";
import { notificationDocument, type Notification } from "./documents.ts";
import { Back, Partly, ShareButton } from "./head.tsx";
import { readRecord } from "./read.ts";
import { ReadRecord, type ById } from "./record.tsx";
import { textOf, WebhookCard } from "./webhook.tsx";

/** The view of a notification: a webhook, and the record that it is about. */
export function NotificationView({ gateway, id, seek }: View & ById) {
  const w = useWords(words);
  const reading = useReading(id, (signal) => readRecord<Notification>(gateway, notificationDocument, "notification", id, signal));
  return (
    <ReadRecord what={w.notification} id={id} seek={seek} reading={reading}>
      {({ record, errors }) => (
        <>
          <header className="head">
            <Back />
            <div className="head-line">
              <h1>{w.notification}</h1>
              <div className="buttons">
                <button type="button" className="button" onClick={reading.again}>{w.refresh}</button>
                <ShareButton />
              </div>
            </div>
          </header>
          <Partly errors={errors} />
          <Panel title={w.about}><About notification={record} /></Panel>
          <Panel title={w.delivery}><WebhookCard webhook={record} linked={false} /></Panel>
          <Panel title={w.content}><pre>{textOf(record.body).slice(0, 100_000)}</pre></Panel>
        </>
      )}
    </ReadRecord>
  );
}

function About({ notification: { transaction, withdrawal, referenceId } }: { notification: Notification }) {
  const w = useWords(words);
  const record = transaction ?? withdrawal;
  if (record === null) return <p className="about">{w.aboutUnknown(referenceId.slice(0, 100))}</p>;
  const view = transaction === null ? "withdrawal" : "transaction";
  return (
    <p className="buttons">
      <a href={hrefOf({ view, id: record.id })}>{w[view]} <Amount cents={record.amount} /></a>
      <Status status={record.statusRaw} />
    </p>
  );
}
