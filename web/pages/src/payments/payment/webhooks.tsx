import { codeAt, Failure } from "../gateway.ts";
import { Identifier } from "../parts/identifier.tsx";
import { Panel, Read } from "../parts/panel.tsx";
import { Problem } from "../parts/problem.tsx";
import { useReading } from "../parts/read.ts";
import type { View } from "../view.ts";
import { payment as words } from "../words/payment.ts";
import { useWords } from "../words/words.tsx";
import { webhooksDocument, type Webhook, type Webhooks } from "./documents.ts";
import { Partly } from "./head.tsx";
import { WebhookCard } from "./webhook.tsx";

/**
 * The webhooks of a transaction, which are read apart from it: the dispatcher may be slow or down. `version` changes when the
 * transaction is read again.
 */
export function useWebhooks({ gateway }: Pick<View, "gateway">, id: string, version: number) {
  return useReading(`${id} ${version}`, async (signal) => {
    const answer = await gateway.ask<{ transaction: { notifications: Webhooks | null } | null }>(webhooksDocument, { id }, signal);
    return { webhooks: answer.data?.transaction?.notifications ?? null, ...answer };
  });
}

/** What was read of the webhooks of a transaction. */
export function WebhooksPanel({ config, reading, webhookUrl }: Pick<View, "config"> & { reading: ReturnType<typeof useWebhooks>; webhookUrl: string | null }) {
  const w = useWords(words);
  return (
    <Panel title={w.webhooks}>
      <Read reading={reading}>
        {({ webhooks, errors, requestId }) => {
          const code = codeAt(errors, "transaction");
          const noSource = code === "LINKS_NOT_CONFIGURED" || (!config.links && (webhooks?.links.length ?? 0) === 0);
          const found = (webhooks?.nodes ?? []).filter((node) => node !== null);
          return (
            <>
              {webhookUrl === null && <p>{w.noWebhookURL}</p>}
              {noSource && <p>{w.webhooksUnknown}</p>}
              {!noSource && webhooks !== null && <Partly errors={errors} />}
              {!noSource && webhooks === null && <Problem error={Failure.of(errors[0], requestId)} again={reading.again} />}
              {found.filter(isFailed).map((webhook) => <WebhookCard key={webhook.id} webhook={webhook} />)}
              <Delivered webhooks={found.filter((webhook) => !isFailed(webhook))} of={found.length} />
              <Links webhooks={webhooks} />
              {!noSource && webhooks !== null && <p className="fine">{found.length > 0 ? w.webhooksOthers : w.webhooksNone}</p>}
            </>
          );
        }}
      </Read>
    </Panel>
  );
}

/** Whether a webhook was not delivered, as far as its record tells. */
function isFailed({ delivery }: Webhook): boolean {
  return delivery.verdict !== "DELIVERED";
}

/** Those that were delivered, folded if there are several: they need no attention. */
function Delivered({ webhooks, of }: { webhooks: Webhook[]; of: number }) {
  const w = useWords(words);
  if (webhooks.length === 0) return null;
  return (
    <details className="webhook" open={of === 1}>
      <summary>{w.delivered(webhooks.length, of)}</summary>
      {webhooks.map((webhook) => <WebhookCard key={webhook.id} webhook={webhook} />)}
    </details>
  );
}

/** The ids that the payment names and that are no webhook of it. */
function Links({ webhooks }: { webhooks: Webhooks | null }) {
  const w = useWords(words);
  const others = (webhooks?.links ?? []).filter(({ state }) => state !== "VERIFIED");
  if (others.length === 0) return null;
  return (
    <ul>
      {others.map(({ notificationId, state }) => <li key={notificationId}><Identifier id={notificationId} what={w.id} whole /> {w.links[state] ?? state}</li>)}
    </ul>
  );
}
