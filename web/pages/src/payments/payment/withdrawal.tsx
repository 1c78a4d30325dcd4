import { Panel } from "../parts/panel.tsx";
import { useReading } from "../parts/read.ts";
import type { View } from "../view.ts";
import { payment as words } from "../words/payment.ts";
import { useWords } from "../words/words.tsx";
import { withdrawalDocument, type Withdrawal } from "./documents.ts";
import { Details, Parties, useWithdrawalRows } from "./facts.tsx";
import { Head, Partly } from "./head.tsx";
import { useLive } from "./live.ts";
import { readRecord } from "./read.ts";
import { ReadRecord, type ById } from "./record.tsx";
import { Timeline } from "./timeline.tsx";

/** The view of a withdrawal. */
export function WithdrawalView({ gateway, id, seek }: View & ById) {
  const w = useWords(words);
  const reading = useReading(id, (signal) => readRecord<Withdrawal>(gateway, withdrawalDocument, "withdrawal", id, signal));
  const live = useLive(gateway, "withdrawal", reading.value?.record, reading.again);
  return (
    <ReadRecord what={w.withdrawal} id={id} seek={seek} reading={reading}>
      {({ record, errors }) => (
        <>
          <Head what={w.withdrawal} record={record} live={live} refresh={reading.again} />
          <Partly errors={errors} />
          <Shown record={record} />
        </>
      )}
    </ReadRecord>
  );
}

function Shown({ record }: { record: Withdrawal }) {
  const w = useWords(words);
  const own = useWithdrawalRows(record);
  return (
    <>
      <Details record={record} own={own} />
      <Timeline entries={record.timeline} />
      <Parties record={record} />
      <Panel title={w.webhooks}><p>{w.webhooksOfWithdrawal}</p></Panel>
    </>
  );
}
