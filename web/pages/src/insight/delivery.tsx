import { digitsOf } from "../base/exact.ts";
import { localTime } from "../base/format.ts";
import { Label } from "./label.tsx";

/** Notification.delivery of the schema. A field that the operation does not select is absent. */
export interface Delivery {
  verdict?: string;
  explanation?: string;
  attempts?: unknown;
  firstAttemptAt?: string | null;
  lastAttemptAt?: string | null;
  lastStatusCode?: unknown;
  slowestResponseTime?: unknown;
}

const tones: Readonly<Record<string, "good" | "bad">> = {
  DELIVERED: "good", REJECTED: "bad", DESTINATION_FAILED: "bad", REDIRECTED: "bad", CONTRADICTORY: "bad",
};

/** The verdict of a delivery as a coloured label, with its explanation and the facts of its attempts. */
export function DeliveryFacts({ delivery }: { delivery: Delivery }) {
  const facts = factsOf(delivery);
  return (
    <div className="delivery">
      <p>
        {delivery.verdict !== undefined && <Label tone={tones[delivery.verdict] ?? "neutral"}>{delivery.verdict}</Label>}{" "}
        <span>{delivery.explanation}</span>
      </p>
      {facts !== "" && <p>{facts}</p>}
    </div>
  );
}

/** The facts that are known, such as "2 attempts, from … to …. Last status code 503. Slowest response 1200 ms." */
function factsOf({ attempts, firstAttemptAt, lastAttemptAt, lastStatusCode, slowestResponseTime }: Delivery): string {
  const count = digitsOf(attempts);
  const [first, last] = [firstAttemptAt, lastAttemptAt].map((at) => localTime(at) ?? at);
  const times = first && last && first !== last ? `from ${first} to ${last}` : first ?? last;
  const counted = count === null ? "Attempts" : count === "1" ? "1 attempt" : `${count} attempts`;
  const code = digitsOf(lastStatusCode);
  const slowest = digitsOf(slowestResponseTime);
  return [
    ...(times ? [`${counted}, ${times}.`] : count !== null ? [`${counted}.`] : []),
    ...(code !== null ? [`Last status code ${code}.`] : []),
    ...(slowest !== null ? [`Slowest response ${slowest} ms.`] : []),
  ].join(" ");
}
