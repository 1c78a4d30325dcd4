import { digitsOf } from "../../base/exact.ts";
import { Identifier } from "../parts/identifier.tsx";
import { Moment } from "../parts/moment.tsx";
import { Status, Verdict } from "../parts/status.tsx";
import { Name, Text } from "../parts/text.tsx";
import { hrefOf } from "../route.ts";
import { quantity } from "../../base/money.ts";
import { parts } from "../words/parts.ts";
import { payment as words } from "../words/payment.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { announcedBy, connectionOf } from "./announced.ts";
import type { Attempt, Webhook } from "./documents.ts";
import { attemptsOf } from "./steps.ts";

/** A webhook with its delivery attempts. */
export function WebhookCard({ webhook, linked = true }: { webhook: Webhook; linked?: boolean }) {
  const w = useWords(words);
  const { statuses } = useWords(parts);
  const attempts = attemptsOf(webhook);
  const { verdict = "UNKNOWN", explanation } = webhook.delivery;
  const announced = announcedBy(webhook);
  const connection = connectionOf(webhook.error ?? "");
  return (
    <article className="webhook" aria-label={`${w.notification} ${webhook.id}`}>
      <div className="head-line">
        <Verdict delivery={webhook.delivery} />
        {announced !== null && <span>{w.announced} <Status status={announced} /></span>}
        <span className="identifier">
          {linked && <a href={hrefOf({ view: "notification", id: webhook.id })}>{w.notification}</a>}
          <Identifier id={webhook.id} what={w.id} />
        </span>
      </div>
      {webhook.tags.length > 0 && <p className="fine">{w.tags}: <Text>{webhook.tags.filter((tag) => tag !== null).join(", ")}</Text></p>}
      <p>{w.verdicts[verdict]?.(digitsOf(webhook.delivery.lastStatusCode), attempts.length) ?? explanation}</p>
      {webhook.error !== null && <div>{connection !== null && w.connections[connection]} {w.dispatcherError}: <Text>{webhook.error}</Text></div>}
      <p className="fine">
        {w.to}: <code className="url">{webhook.url.slice(0, 500)}</code> · {w.created} <Moment at={webhook.createdAt} seconds /> · {w.dispatcherStatus}: <Name>{statuses[webhook.statusRaw] ?? webhook.statusRaw}</Name>
      </p>
      {attempts.length > 0 && (
        <details open={verdict !== "DELIVERED"}>
          <summary>{w.attempts(attempts.length)}</summary>
          <Attempts attempts={attempts} id={webhook.id} />
        </details>
      )}
    </article>
  );
}

/** The attempts that are drawn at most. */
const most = 100;

function Attempts({ attempts, id }: { attempts: Attempt[]; id: string }) {
  const w = useWords(words);
  const locale = useLocale();
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={`${w.attempts(attempts.length)}, ${id}`}>
      <table className="attempts">
        <thead>
          <tr>
            <th scope="col" className="number">{w.attempt}</th>
            <th scope="col">{w.time}</th>
            <th scope="col" className="number">{w.answer}</th>
            <th scope="col" className="number">{w.took}</th>
            <th scope="col">{w.body}</th>
          </tr>
        </thead>
        <tbody>
          {attempts.slice(-most).map(({ createdAt, response }, index) => (
            <tr key={index}>
              <td className="number">{Math.max(attempts.length - most, 0) + index + 1}</td>
              <td><Moment at={createdAt} seconds /></td>
              <td className="number">{response.statusCode || w.noAnswer}</td>
              <td className="number">{quantity(digitsOf(response.responseTime), locale)?.text} ms</td>
              <td><Text at={60}>{textOf(response.body)}</Text></td>
            </tr>
          ))}
        </tbody>
      </table>
      {attempts.length > most && <p className="fine">{w.newestAttempts(most, attempts.length)}</p>}
    </div>
  );
}

/** A JSON value as text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
