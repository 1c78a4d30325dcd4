import { useMemo, useState, type ReactNode } from "react";
import type { Config } from "../../base/config.ts";
import { downloadedFile } from "../../download/download.ts";
import { digitsOf } from "../../base/exact.ts";
import { add, amountText } from "../../base/money.ts";
import { useObservable } from "../../base/observable.ts";
import type { Gateway } from "../gateway.ts";
import { Amount } from "../parts/amount.tsx";
import { Identifier, shortened } from "../parts/identifier.tsx";
import { daysText, Moment } from "../parts/moment.tsx";
import { Panel } from "../parts/panel.tsx";
import { Status, Verdict } from "../parts/status.tsx";
import { hrefOf, type Days, type Kind } from "../route.ts";
import { find } from "../words/find.ts";
import { parts } from "../words/parts.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { endToEndLength, type Mistyped } from "./endtoend.ts";
import { fileOf } from "./foundfile.ts";
import type { Hits } from "./lookup.ts";
import type { Field, Reason } from "./match.ts";
import type { DepositRow, WithdrawalRow } from "../rows/rowdata.ts";
import { DepositRows, WithdrawalRows } from "../rows/rows.tsx";
import { saidOf } from "./said.ts";
import type { Search } from "./search.ts";
import type { SearchState } from "./state.ts";
import { Tried } from "./tried.tsx";

/** What a search has found, and what it has tried. */
export function Results({ search, config, gateway }: { search: Search; config: Config; gateway: Gateway }) {
  const words = useWords(find);
  const state = useObservable(search.state);
  const locale = useLocale();
  const { hits, running, found, meanings, steps } = state;
  const { deposits, reasons } = found;
  const withdrawals = withdrawalsOf(state);
  const count = deposits.length + withdrawals.length + [hits.transaction, hits.notification].filter((hit) => hit !== null).length;
  const noteOf = (kind: Kind, shown: Field) => ({ id }: { id: string }) => <Because reason={reasons.get(`${kind} ${id}`)} shown={shown} />;
  return (
    <Panel title={words.results}>
      {meanings?.mistyped !== undefined && <Warning mistyped={meanings.mistyped} />}
      {meanings?.day === null && steps.length > 0 && <p role="alert" className="find-warning">{words.noSuchDay} {words.unknownDay}</p>}
      <p role="status" className="find-said">{saidOf(state, count, words, locale)}</p>
      {meanings?.brCode?.fault && <p role="alert" className="find-warning">{words.codeFaults[meanings.brCode.fault]} {meanings.brCode.name && words.codeOf(meanings.brCode.name)}</p>}
      {typeof meanings?.day === "string" && steps.length === 0 && <DayLists from={meanings.day} to={meanings.until ?? meanings.day} />}
      <HitRows hits={hits} />
      {deposits.length > 0 && (
        <section aria-label={words.deposits}>
          <h3>{words.deposits}</h3>
          <Sum rows={deposits} kind="deposits" />
          <Newest rows={deposits}>{(rows) => <DepositRows rows={rows} gateway={gateway} config={config} note={noteOf("deposits", "payerName")} />}</Newest>
        </section>
      )}
      {withdrawals.length > 0 && (
        <section aria-label={words.withdrawals}>
          <h3>{words.withdrawals}</h3>
          <Sum rows={withdrawals} kind="withdrawals" />
          <Newest rows={withdrawals}>{(rows) => <WithdrawalRows rows={rows} gateway={gateway} config={config} note={noteOf("withdrawals", "receiverName")} />}</Newest>
        </section>
      )}
      {(running || steps.length > 0) && <Tried search={search} />}
    </Panel>
  );
}

/** The rows that are drawn at first, and those that the button adds: with thousands a browser stops responding. */
const rowsAtOnce = 200;

/** The first of many rows, which are the newest. */
function Newest<Row>({ rows, children }: { rows: readonly Row[]; children: (shown: readonly Row[]) => ReactNode }) {
  const words = useWords(find);
  const locale = useLocale();
  const [most, setMost] = useState(rowsAtOnce);
  const shown = useMemo(() => rows.slice(0, most), [rows, most]);
  return (
    <>
      {children(shown)}
      {rows.length > most && (
        <p className="find-facts">
          <span className="fine">{words.newest(most.toLocaleString(locale), rows.length.toLocaleString(locale))}</span>
          <button type="button" className="button" onClick={() => setMost(most + rowsAtOnce)}>{words.more(rowsAtOnce)}</button>
        </p>
      )}
    </>
  );
}

/** How many payments were found, their sum, and a file of them, if there are several. */
function Sum({ rows, kind }: { rows: readonly (DepositRow | WithdrawalRow)[]; kind: Kind }) {
  const words = useWords(find);
  const { statuses } = useWords(parts);
  const locale = useLocale();
  const sum = useMemo(() => rows.map(({ amount }) => digitsOf(amount)).reduce(add, null), [rows]);
  if (rows.length < 2) return null;
  const save = async () => {
    const file = downloadedFile(`${words[kind].toLowerCase()}-${words.foundFile}.csv`);
    await file.write(new TextEncoder().encode(fileOf(rows, { head: [words.columns.created, words.columns[kind], ...words.columns.others], statuses })));
    await file.close();
  };
  return (
    <p className="find-facts">
      <strong>{words.sumOf(rows.length.toLocaleString(locale), amountText(sum, locale) ?? "")}</strong>
      <button type="button" className="button" onClick={() => void save()}>{words.excel}</button>
    </p>
  );
}

/** The lists of days, for a text that says no more than these. */
function DayLists(days: Days) {
  const words = useWords(find);
  const when = daysText(days, useLocale());
  return (
    <p className="find-facts">
      {(["deposits", "withdrawals"] as const).map((kind) => (
        <a key={kind} href={hrefOf({ view: "list", kind, days, status: null, page: 1 })}>{words.listOf(words[kind], when)}</a>
      ))}
    </p>
  );
}

/** That a text looks like an EndToEndId, and what is wrong with it. */
function Warning({ mistyped: { id, minute } }: { mistyped: Mistyped }) {
  const words = useWords(find);
  const wrong = id.length === endToEndLength ? words.wrongTime : words.wrongLength(id.length, endToEndLength);
  return <p role="alert" className="find-warning">{wrong} {minute === null && words.unknownTime}</p>;
}

/** The withdrawals of lists, and the one with the id. */
function withdrawalsOf({ hits, found }: SearchState) {
  const { withdrawal } = hits;
  const others = found.withdrawals.filter(({ id }) => id !== withdrawal?.id);
  return withdrawal === null ? found.withdrawals : [withdrawal, ...others];
}

/** Why a row was found, if its other cells do not show it. */
function Because({ reason, shown }: { reason: Reason | undefined; shown: Field }) {
  const words = useWords(find);
  if (reason === undefined) return null;
  const { field, doubt } = reason;
  if (doubt === null && (field === "id" || field === "endToEnd" || field === shown)) return null;
  const value = reason.value.length > 60 ? `${reason.value.slice(0, 60)}…` : reason.value;
  return (
    <>
      <bdi>{words.because(words.reasons[field], value)}</bdi>
      {doubt !== null && <> <strong>({words.possible[doubt]})</strong></>}
    </>
  );
}

function HitRows({ hits: { transaction, notification } }: { hits: Hits }) {
  const words = useWords(find);
  return (
    <>
      {transaction !== null && (
        <section className="find-hit" aria-label={words.transactions}>
          <h3>{words.transactions}</h3>
          <p className="find-facts">
            <a href={hrefOf({ view: "transaction", id: transaction.id })}><Moment at={transaction.createdAt} /></a>
            <Status status={transaction.statusRaw} />
            <Amount cents={transaction.amount} />
            <Identifier id={transaction.id} what={words.transactionId} />
          </p>
        </section>
      )}
      {notification !== null && (
        <section className="find-hit" aria-label={words.notifications}>
          <h3>{words.notifications}</h3>
          <p className="find-facts">
            <a href={hrefOf({ view: "notification", id: notification.id })}><Moment at={notification.createdAt} /></a>
            <Verdict delivery={notification.delivery} />
            <span className="fine">{words.notificationOf(shortened(notification.referenceId))}</span>
            <Identifier id={notification.id} what={words.notificationId} />
          </p>
        </section>
      )}
    </>
  );
}
