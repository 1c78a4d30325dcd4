import { digitsOf } from "../../base/exact.ts";
import type { Delivery } from "../../insight/delivery.tsx";
import { parts } from "../words/parts.ts";
import { payment } from "../words/payment.ts";
import { bare, useWords } from "../words/words.tsx";

type Tone = "good" | "bad" | "open" | "neutral";

/** What a status means for the reader. A status that is not here is neutral. */
const tones: Readonly<Record<string, Tone>> = bare({
  PAID: "good", PROCESSED: "good", SENT: "good", DELIVERED: "good",
  FAILED: "bad", REJECTED: "bad", BLOCKED: "bad", ERROR: "bad", DESTINATION_FAILED: "bad", REDIRECTED: "bad", CONTRADICTORY: "bad",
  PENDING: "open", PIX_QRCODE_GENERATED: "open", PROCESSING: "open", PROCESSING_REFUND: "open", PROCESSING_INFRACTION: "open",
  PENDING_COMPLIANCE: "open", DEPOSIT_PIXKEY_GENERATED: "open", RECEIVED: "open", NOT_ATTEMPTED: "open",
});

/** The status of a record as the API sent it, in words; the API's own is in the title. */
export function Status({ status }: { status: string }) {
  const { statuses, statusOfAPI } = useWords(parts);
  return <Label tone={tones[status] ?? "neutral"} title={statusOfAPI(status)}>{statuses[status] ?? status.slice(0, longest)}</Label>;
}

/** The most characters of a status that the schema does not have. */
const longest = 60;

/** Whether a webhook was delivered, with why in the title. */
export function Verdict({ delivery: { verdict = "UNKNOWN", lastStatusCode, attempts } }: { delivery: Delivery }) {
  const { verdicts } = useWords(parts);
  const why = useWords(payment).verdicts[verdict]?.(digitsOf(lastStatusCode), Number(digitsOf(attempts) ?? 0));
  return <Label tone={tones[verdict] ?? "neutral"} title={why ?? verdict}>{verdicts[verdict] ?? verdict}</Label>;
}

function Label({ tone, title, children }: { tone: Tone; title: string; children: string }) {
  return <span className={`label label-${tone}`} title={title}>{children}</span>;
}
