import { attemptsOf } from "../attempts.ts";
import { digitsOf } from "../exact.ts";
import { localTime } from "../format.ts";
import { DeliveryFacts } from "../insight/delivery.tsx";
import type { Execution, Notification } from "./documents.ts";

/** A notification with its attempts. */
export function NotificationCard({ notification }: { notification: Notification }) {
  const attempts = attemptsOf(notification);
  return (
    <article className="payment-notification" aria-label={`Notification ${notification.id}`}>
      <p>
        <strong>{notification.statusRaw}</strong> <code>{notification.id}</code>
      </p>
      <DeliveryFacts delivery={notification.delivery} />
      {notification.error !== null && <p>Error of the dispatcher: {notification.error}</p>}
      <p>
        To <code>{notification.url}</code>, created {localTime(notification.createdAt) ?? notification.createdAt}
      </p>
      {attempts.length > 0 && (
        <div className="console-scroll" tabIndex={0} role="region" aria-label={`Attempts of notification ${notification.id}`}>
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Status code</th>
                <th scope="col">Response time</th>
                <th scope="col">Answer</th>
              </tr>
            </thead>
            <tbody>
              {attempts.map((attempt, index) => (
                <Attempt key={index} attempt={attempt} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </article>
  );
}

function Attempt({ attempt: { createdAt, response } }: { attempt: Execution }) {
  const { body } = response;
  const text = typeof body === "string" ? body : JSON.stringify(body, null, 2);
  return (
    <tr>
      <td>
        <time dateTime={createdAt}>{localTime(createdAt) ?? createdAt}</time>
      </td>
      <td className="payment-status-code">{response.statusCode}</td>
      <td>{digitsOf(response.responseTime)} ms</td>
      <td>
        {text.length > 60 ? (
          <details>
            <summary>{text.slice(0, 60)}…</summary>
            <code className="answer-long">{text}</code>
          </details>
        ) : (
          text
        )}
      </td>
    </tr>
  );
}
