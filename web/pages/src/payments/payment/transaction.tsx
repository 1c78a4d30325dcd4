import { useReading } from "../parts/read.ts";
import type { View } from "../view.ts";
import { payment as words } from "../words/payment.ts";
import { useWords } from "../words/words.tsx";
import { transactionDocument, type Transaction } from "./documents.ts";
import { PixCode } from "./code.tsx";
import { Details, Parties, useDepositRows } from "./facts.tsx";
import { Head, Partly } from "./head.tsx";
import { useLive } from "./live.ts";
import { readRecord } from "./read.ts";
import { ReadRecord, type ById } from "./record.tsx";
import { Timeline } from "./timeline.tsx";
import { useWebhooks, WebhooksPanel } from "./webhooks.tsx";

/** The view of a transaction: a payment with everything that is known about it. */
export function TransactionView({ seek, ...view }: View & ById) {
  const { gateway, id } = view;
  const w = useWords(words);
  const reading = useReading(id, (signal) => readRecord<Transaction>(gateway, transactionDocument, "transaction", id, signal));
  const live = useLive(gateway, "transaction", reading.value?.record, reading.again);
  return (
    <ReadRecord what={w.transaction} id={id} seek={seek} reading={reading}>
      {({ record, errors }) => (
        <>
          <Head what={w.transaction} record={record} live={live} refresh={reading.again} />
          <Partly errors={errors} />
          <Shown {...view} record={record} version={reading.version} />
        </>
      )}
    </ReadRecord>
  );
}

function Shown({ record, version, ...view }: View & { record: Transaction; version: number }) {
  const own = useDepositRows(record);
  const webhooks = useWebhooks(view, record.id, version);
  return (
    <>
      <Details record={record} own={own} />
      <WebhooksPanel config={view.config} reading={webhooks} webhookUrl={record.webhookUrl} />
      <div className="columns">
        <Timeline entries={record.timeline} webhooks={webhooks.value?.webhooks?.nodes.filter((node) => node !== null) ?? []} />
        {record.pixResponse && <PixCode code={record.pixResponse} status={record.statusRaw} />}
      </div>
      <Parties record={record} />
    </>
  );
}
