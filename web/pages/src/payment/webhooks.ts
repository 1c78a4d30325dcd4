import type { GraphQLFormattedError } from "graphql";
import { codeOf, requestIdOf, type Result } from "../ask.ts";
import type { Link, Notification, Payment } from "./documents.ts";
import { absent, type Identified } from "./identify.ts";

/** What is known about the webhooks of a payment. Notes say what was not found, errors what could not be read. */
export interface Webhooks extends Identified {
  payment: Payment | null;
  notifications: Notification[];
  /** No record has the id. */
  missing: boolean;
}

export const nothing: Webhooks = { payment: null, notifications: [], notes: [], offers: [], errors: [], requestId: null, missing: false };

/** Reads the result for a payment. Where notifications cannot be known, it says so: an empty list would look like "none". */
export function webhooksOf({ data, errors = [] }: Result<{ transaction: Payment | null }>, links: boolean): Webhooks {
  const payment = data?.transaction ?? null;
  const found = payment?.notifications ?? null;
  const notifications = (found?.nodes ?? []).filter((node) => node !== null);
  const noSource = errors.some((error) => codeOf(error) === "LINKS_NOT_CONFIGURED") || (!links && found?.links.length === 0);
  const { notes, ...others } = readOf(errors.filter((error) => codeOf(error) !== "LINKS_NOT_CONFIGURED"));
  if (payment !== null && payment.webhookUrl === null) notes.push("The payment has no webhook URL.");
  if (noSource) {
    notes.push("This gateway cannot find the notifications of a payment: links_metadata_pointer is not set. Enter the id of a notification above.");
  } else if (found !== null && found.links.length === 0) {
    notes.push("The metadata of the payment names no notifications, and the dispatcher cannot list them. If you know the id of one, enter it above.");
  }
  for (const link of found?.links ?? []) {
    if (link.state !== "VERIFIED") notes.push(`Notification ${link.notificationId} ${linkStates[link.state]}.`);
  }
  if (notifications.length > 0) notes.push("There may be other notifications: the dispatcher cannot list those of a payment.");
  return { ...others, payment, notifications, notes };
}

/** Reads the result for a notification. */
export function webhookOf({ data, errors = [] }: Result<{ notification: Notification | null }>): Webhooks {
  const notification = data?.notification ?? null;
  const { notes, ...others } = readOf(errors);
  if (notification !== null) notes.push(`The notification is about the record ${notification.referenceId}.`);
  return { ...others, notifications: notification === null ? [] : [notification], notes };
}

const linkStates: Record<Exclude<Link["state"], "VERIFIED">, string> = {
  MISMATCH: "is about another record",
  NOT_FOUND: "does not exist",
  FORBIDDEN: "may not be read with your token",
  UNAVAILABLE: "could not be read at the moment; try again later",
};

function readOf(errors: readonly GraphQLFormattedError[]): Webhooks {
  const isMissing = (error: GraphQLFormattedError) => absent.includes(codeOf(error)) && error.path?.length === 1;
  const notes = errors.filter(isMissing).map((error) => {
    const why = codeOf(error) === "NOT_FOUND" ? "" : `: ${error.message}`;
    return `No ${error.path?.[0]} has this id${why}.`;
  });
  const failed = errors.filter((error) => !isMissing(error));
  return { ...nothing, notes, missing: notes.length > 0, errors: failed.map(({ message }) => message), requestId: requestIdOf(failed[0]) };
}
