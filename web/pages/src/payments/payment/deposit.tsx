import { Empty } from "../parts/panel.tsx";
import { useReading } from "../parts/read.ts";
import type { View } from "../view.ts";
import { payment as words } from "../words/payment.ts";
import { useWords } from "../words/words.tsx";
import { PixCode } from "./code.tsx";
import type { Deposit } from "./documents.ts";
import { Details, Parties, useDepositRows } from "./facts.tsx";
import { Head, Partly } from "./head.tsx";
import { findDeposit, isTime } from "./read.ts";
import { Asked, ReadRecord, Seek, type ById } from "./record.tsx";
import { Timeline } from "./timeline.tsx";

/** The view of a deposit that has no transaction with its id. */
export function DepositView({ gateway, id, createdAt, seek }: View & ById & { createdAt: string }) {
  const w = useWords(words);
  const reading = useReading(`${id} ${createdAt}`, (signal) => findDeposit(gateway, id, createdAt, signal));
  return (
    <ReadRecord what={w.deposit} id={id} seek={seek} reading={reading}>
      {({ record, errors, read, unread }) => record
        ? (
          <>
            <Head what={w.deposit} record={record} live={null} refresh={reading.again} />
            <p>{w.noTransaction}</p>
            <Partly errors={errors} />
            <Shown record={record} />
          </>
        )
        : (
          <>
            <Asked what={w.deposit} id={id} />
            <Empty>{isTime(createdAt) ? <>{w.depositNotFound} {w.tried(read)} {unread > 0 && w.unread(unread)}</> : w.depositNoTime}</Empty>
            <Seek id={id} seek={seek} />
          </>
        )}
    </ReadRecord>
  );
}

function Shown({ record }: { record: Deposit }) {
  const own = useDepositRows(record);
  return (
    <>
      <Details record={record} own={own} />
      <div className="columns">
        <Timeline entries={record.timeline} />
        {record.pixResponse && <PixCode code={record.pixResponse} status={record.statusRaw} />}
      </div>
      <Parties record={record} />
    </>
  );
}
