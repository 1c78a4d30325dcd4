import type { Ask } from "../ask.ts";
import { isUUID, mayBeNotification } from "../ids.ts";
import { notificationDocument, paymentDocument, type Notification, type Payment } from "./documents.ts";
import { identifyRecord, identifyText, type Wanted } from "./identify.ts";
import { nothing, webhookOf, webhooksOf, type Webhooks } from "./webhooks.ts";

/** Looks up the webhooks of a payment, or one by its id; an id that is not found as that of another record. */
export async function lookUp(ask: Ask, wanted: Wanted, links: boolean): Promise<Webhooks> {
  const { kind, id, deposit = false, named = false } = wanted;
  const isID = isUUID(id);
  const other = isID || named ? null : await identifyText(ask, wanted);
  if (other !== null) return { ...nothing, ...other };
  const result = kind === "transaction"
    ? webhooksOf(await ask<{ transaction: Payment | null }>(paymentDocument, { id }), links)
    : webhookOf(await ask<{ notification: Notification | null }>(notificationDocument, { id }));
  if (!result.missing) return result;
  if (deposit) return { ...result, notes: withoutTransaction };
  if (!isID && (kind === "notification" || !mayBeNotification(id))) return result; // it may be personal data, which must not get into a URL
  const { notes, offers, errors, requestId } = await identifyRecord(ask, wanted);
  return { ...result, notes: [...result.notes, ...notes], offers, errors, requestId };
}

const withoutTransaction = [
  "This deposit has no transaction: none has its id. Its webhooks cannot be found, because only a transaction names its "
    + "notifications, and the dispatcher cannot list them. If you know the id of a notification, enter it above.",
];
