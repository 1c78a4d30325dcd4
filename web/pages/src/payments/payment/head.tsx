import type { ReactNode } from "react";
import { Amount } from "../parts/amount.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { Moment } from "../parts/moment.tsx";
import { Name } from "../parts/text.tsx";
import { Status } from "../parts/status.tsx";
import { home, hrefOf } from "../route.ts";
import { payment as words } from "../words/payment.ts";
import { useWords } from "../words/words.tsx";
import type { Deposit, Withdrawal } from "./documents.ts";
import { open, type LiveState } from "./live.ts";
import { Outcome } from "./outcome.tsx";

interface Props {
  what: string;
  record: Deposit | Withdrawal;
  /** null for a record that cannot be watched. */
  live: LiveState | null;
  refresh: () => void;
}

/** The head of a record's view: what it is, its amount, status and time, and whether it is watched. */
export function Head({ what, record, live, refresh }: Props) {
  const { created, live: liveWord, liveTitle, reconnecting, notLive, refresh: refreshWord, from, toHolder: to } = useWords(words);
  return (
    <header className="head">
      <Back />
      <div className="head-line">
        <div>
          <p className="fine">{what}</p>
          <h1><Amount cents={record.amount} /></h1>
          {(record.payer ?? record.receiver) && (
            <p className="head-parties">
              {record.payer && <>{from} <strong><Name>{record.payer.name}</Name></strong></>} {record.receiver && <>{to} <strong><Name>{record.receiver.name}</Name></strong></>}
            </p>
          )}
        </div>
        <div className="head-status" role="status">
          <Status status={record.statusRaw} />
          {live === "live" && <span className="live" title={liveTitle}>{liveWord}</span>}
          {live === "off" && open.has(record.statusRaw) && <span className="fine">{notLive}</span>}
          {live === "lost" && <span className="fine">{reconnecting}</span>}
        </div>
      </div>
      <Outcome record={record} />
      <div className="head-line">
        <p className="fine">{created} <Moment at={record.createdAt} seconds /></p>
        <div className="buttons">
          <button type="button" className="button" onClick={refresh}>{refreshWord}</button>
          <ShareButton />
        </div>
      </div>
    </header>
  );
}

/** The link to the views, above a record. */
export function Back() {
  return <a className="back" href={hrefOf(home)}>← {useWords(words).back}</a>;
}

/** Copies the URL of the page, which has the view and the ids, and no token. */
export function ShareButton() {
  const { copyLink, link } = useWords(words);
  return <CopyButton text={location.href} what={link}>{copyLink}</CopyButton>;
}

/** What the gateway says about the parts of a record that it could not read. */
export function Partly({ errors }: { errors: readonly { message: string; path?: readonly (string | number)[] | undefined }[] }): ReactNode {
  const { partly } = useWords(words);
  if (errors.length === 0) return null;
  return (
    <div className="problem" role="status">
      <p>{partly}</p>
      <ul>
        {errors.slice(0, 10).map(({ message, path }, index) => <li key={index}><code>{(path ?? []).join(".")}</code> <span lang="en">{message}</span></li>)}
      </ul>
    </div>
  );
}
