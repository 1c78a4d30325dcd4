import { codeAt, Failure } from "../gateway.ts";
import { Panel, Read } from "../parts/panel.tsx";
import { Problem } from "../parts/problem.tsx";
import { useReading } from "../parts/read.ts";
import type { View } from "../view.ts";
import { payment as words } from "../words/payment.ts";
import { useWords } from "../words/words.tsx";
import { failedFirst } from "./attempts.ts";
import { webhooksDocument, type Webhooks } from "./documents.ts";
import { Partly } from "./head.tsx";
import { WebhookCard } from "./webhook.tsx";

/** The webhooks of a transaction. They are read by themselves: the dispatcher may be slow or down. */
export function WebhooksPanel({ gateway, config, id, updatedAt, webhookUrl }: View & { id: string; updatedAt: string; webhookUrl: string | null }) {
  const w = useWords(words);
  const reading = useReading(`${id} ${updatedAt}`, async (signal) => {
    const answer = await gateway.ask<{ transaction: { notifications: Webhooks | null } | null }>(webhooksDocument, { id }, signal);
    return { webhooks: answer.data?.transaction?.notifications ?? null, ...answer };
  });
  return (
    <Panel title={w.webhooks}>
      <Read reading={reading}>
        {({ webhooks, errors, requestId }) => {
          const code = codeAt(errors, "transaction");
          const noSource = code === "LINKS_NOT_CONFIGURED" || (!config.links && (webhooks?.links.length ?? 0) === 0);
          const found = failedFirst((webhooks?.nodes ?? []).filter((node) => node !== null));
          return (
            <>
              {webhookUrl === null && <p>{w.noWebhookURL}</p>}
              {noSource && <p>{w.webhooksUnknown}</p>}
              {!noSource && webhooks !== null && <Partly errors={errors} />}
              {!noSource && webhooks === null && <Problem error={new Failure(errors[0]?.message ?? "", code ?? "", requestId)} again={reading.again} />}
              {found.map((webhook) => <WebhookCard key={webhook.id} webhook={webhook} />)}
              <Links webhooks={webhooks} />
              {!noSource && webhooks !== null && <p className="fine">{found.length > 0 ? w.webhooksOthers : w.webhooksNone}</p>}
            </>
          );
        }}
      </Read>
    </Panel>
  );
}

/** The ids that the payment names and that are no webhook of it. */
function Links({ webhooks }: { webhooks: Webhooks | null }) {
  const w = useWords(words);
  const others = (webhooks?.links ?? []).filter(({ state }) => state !== "VERIFIED");
  if (others.length === 0) return null;
  return (
    <ul>
      {others.map(({ notificationId, state }) => <li key={notificationId}><code>{notificationId}</code> {w.links[state] ?? state}</li>)}
    </ul>
  );
}
