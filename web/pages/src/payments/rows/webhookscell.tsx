import { Failure } from "../gateway.ts";
import { Verdict } from "../parts/status.tsx";
import { parts } from "../words/parts.ts";
import { rows as section } from "../words/rows.ts";
import { useWords } from "../words/words.tsx";
import { byUrgency, type Webhooks } from "./webhooks.ts";

interface Props {
  webhooks: Webhooks | undefined;
  /** Whether they are being read. Those of a row that is not in view are not. */
  reading: boolean;
}

/** The verdict of the webhook of a deposit that needs attention most. */
export function WebhooksCell({ webhooks, reading }: Props) {
  const words = useWords(section);
  return <td className="row-webhooks" data-label={words.webhooks}><Worst webhooks={webhooks} reading={reading} /></td>;
}

function Worst({ webhooks, reading }: Props) {
  const words = useWords(section);
  const { problem, problems, problemsOfWebhooks } = useWords(parts);
  const whyOf = (error: unknown) => {
    if (!(error instanceof Failure)) return problem;
    return (error.extensions.service === "dispatcher" && problemsOfWebhooks[error.code]) || (problems[error.code] ?? problem);
  };
  if (webhooks === undefined) return reading ? <span className="fine">{words.reading}</span> : null;
  switch (webhooks.state) {
    case "absent":
      return <span className="fine" title={words.noTransactionWhy}>{words.noTransaction}</span>;
    case "unread":
      return <span className="fine" title={whyOf(webhooks.error)}>{words.unread}</span>;
    case "read": {
      const { notified, unread } = webhooks;
      const worst = byUrgency(notified)[0] ?? null;
      const count = notified.filter(({ delivery }) => delivery.verdict === worst?.delivery.verdict).length;
      return (
        <>
          {worst === null
            ? unread === 0 && <span className="fine" title={words.noneKnownWhy}>{words.noneKnown}</span>
            : <Verdict delivery={worst.delivery} />}{" "}
          {worst !== null && <span className="fine">{words.ofMany(count, notified.length)}</span>}{" "}
          {unread > 0 && <span className="fine">{words.notRead(unread)}</span>}
        </>
      );
    }
  }
}
