import type { GraphQLFormattedError } from "graphql";
import { codeOf, type Result } from "../ask.ts";
import type { Execution, Link, Notification, Payment } from "./documents.ts";

/** What is known about the webhooks of a payment. */
export interface Webhooks {
  payment: Payment | null;
  notifications: Notification[];
  /** Sentences about what could not be read or found. */
  notes: string[];
}

/** Reads the result for a payment. Where notifications cannot be known, it says so: an empty list would look like "none". */
export function webhooksOf({ data, errors = [] }: Result<{ transaction: Payment | null }>, links: boolean): Webhooks {
  const payment = data?.transaction ?? null;
  const found = payment?.notifications ?? null;
  const notifications = (found?.nodes ?? []).filter((node) => node !== null);
  const noSource = errors.some((error) => codeOf(error) === "LINKS_NOT_CONFIGURED") || (!links && found?.links.length === 0);
  const notes = errors.filter((error) => codeOf(error) !== "LINKS_NOT_CONFIGURED").map(noteOf);
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
  return { payment, notifications, notes };
}

/** Reads the result for a notification. */
export function webhookOf({ data, errors = [] }: Result<{ notification: Notification | null }>): Webhooks {
  const notification = data?.notification ?? null;
  const notes = errors.map(noteOf);
  if (notification !== null) notes.push(`The notification is about the record ${notification.referenceId}.`);
  return { payment: null, notifications: notification === null ? [] : [notification], notes };
}

const linkStates: Record<Exclude<Link["state"], "VERIFIED">, string> = {
  MISMATCH: "is about another record",
  NOT_FOUND: "does not exist",
  FORBIDDEN: "may not be read with your token",
  UNAVAILABLE: "could not be read at the moment; try again later",
};

function noteOf(error: GraphQLFormattedError): string {
  if (codeOf(error) === "NOT_FOUND" && error.path?.length === 1) return `No ${error.path[0]} has this id.`;
  return error.message;
}

/** The attempts to deliver a notification, oldest first. The order of the API is not documented. */
export function attemptsOf(notification: Notification): Execution[] {
  const attempts = notification.executions.filter((execution) => execution !== null);
  const times = attempts.map(({ createdAt }) => Date.parse(createdAt));
  return times.some(Number.isNaN) ? attempts : attempts.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}
