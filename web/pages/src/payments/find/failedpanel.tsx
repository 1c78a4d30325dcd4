import { useObservable } from "../../base/observable.ts";
import { Amount } from "../parts/amount.tsx";
import { Moment, timeText } from "../parts/moment.tsx";
import { Panel } from "../parts/panel.tsx";
import { Problem } from "../parts/problem.tsx";
import { Verdict } from "../parts/status.tsx";
import { Name } from "../parts/text.tsx";
import { goTo, hrefOf } from "../route.ts";
import { home } from "../words/home.ts";
import { payment } from "../words/payment.ts";
import { parts } from "../words/parts.ts";
import { rows as rowWords } from "../words/rows.ts";
import { useLocale, useWords } from "../words/words.tsx";
import type { FailedDeliveries, FailedDelivery, FailedState } from "./failed.ts";
import { opening, scrollOf } from "../rows/rows.tsx";
import type { Notified } from "../rows/webhooks.ts";

/** The deposits of the last day with webhooks that were not delivered. */
export function FailedPanel({ failed, links }: { failed: FailedDeliveries; links: boolean }) {
  const words = useWords(home);
  const state = useObservable(failed.state);
  if (!links) return <Panel title={words.failed}><p>{words.noLinks}</p></Panel>;
  const { rows, reading, error, more, looked, at } = state;
  const refresh = <button type="button" className="button" disabled={reading} onClick={() => void failed.refresh()}>{words.refresh}</button>;
  return (
    <Panel title={words.failed} aside={refresh}>
      <Said state={state} />
      {rows.length > 0 && <FailedRows rows={rows} />}
      {error !== null && <Problem error={error} again={() => void failed.more()} />}
      {(looked > 0 || (at !== null && !reading && error === null)) && <Bounds state={state} />}
      {more && !reading && error === null && <p><button type="button" className="button" onClick={() => void failed.more()}>{words.more}</button></p>}
    </Panel>
  );
}

function Said({ state: { reading, rows, looked, absent, unread } }: { state: FailedState }) {
  const words = useWords(home);
  const common = useWords(parts);
  const none = unread > 0 ? words.unread(unread) : looked > absent ? words.allDelivered : "";
  return <p role="status">{reading ? common.reading : rows.length > 0 ? words.failedCount(rows.length) : none}</p>;
}

/** What was looked at, and what could not be. */
function Bounds({ state: { looked, total, more, absent, unread, at, unreachable } }: { state: FailedState }) {
  const words = useWords(home);
  const locale = useLocale();
  const number = (value: number) => value.toLocaleString(locale);
  const until = at === null ? "" : timeText(at.toISOString(), locale);
  return (
    <p className="fine">
      {words.looked(number(looked), total === null && (more || unreachable) ? words.uncounted : number(total ?? looked), until)} {words.cannotList}{" "}
      {absent > 0 && `${words.absent(absent)} `}
      {unread > 0 && `${words.unread(unread)} `}
      {unreachable && words.unreachable}
    </p>
  );
}

function FailedRows({ rows }: { rows: readonly FailedDelivery[] }) {
  const words = useWords(home);
  const { notPaid } = useWords(rowWords);
  return (
    <div className={scrollOf(rows)}>
      <table className="payment-rows cards" aria-label={words.failed}>
        <thead>
          <tr>
            <th scope="col">{words.payment}</th>
            <th scope="col">{words.payer}</th>
            <th scope="col">{words.webhooks}</th>
            <th scope="col" className="number">{words.amount}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ deposit, notified }) => (
            <tr key={deposit.id} data-id={deposit.id} onClick={opening(() => goTo({ view: "transaction", id: deposit.id }))}>
              <td className="row-time"><a href={hrefOf({ view: "transaction", id: deposit.id })}><Moment at={deposit.createdAt} /></a></td>
              <td className="row-party">{deposit.payer ? <Name>{deposit.payer.name}</Name> : notPaid}</td>
              <td className="failed-webhooks"><ul>{notified.map((each) => <FailedWebhook key={each.id} notified={each} />)}</ul></td>
              <td className="number"><Amount cents={deposit.amount} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function FailedWebhook({ notified: { id, delivery } }: { notified: Notified }) {
  const words = useWords(home);
  const { verdict, attempts, lastStatusCode } = delivery;
  const why = useWords(payment).verdicts[verdict]?.(lastStatusCode === null ? null : String(lastStatusCode), attempts ?? 0);
  const said = [...(lastStatusCode === null ? [] : [words.lastCode(lastStatusCode)]), ...(attempts ? [words.attempts(attempts)] : [])];
  return (
    <li>
      <a href={hrefOf({ view: "notification", id })}><Verdict delivery={delivery} /></a>{" "}
      <span className="failed-attempts">{said.join(" · ")}</span>
      {verdict !== "NOT_ATTEMPTED" && <div className="fine">{why}</div>}
    </li>
  );
}
