import type { Entry } from "../../insight/timeline.ts";
import { instantOfDate } from "../zone.ts";
import type { Attempt, Webhook } from "./documents.ts";

/** The status that says the same as a date of the record. */
const statusOf: Readonly<Record<string, string>> = { PAYMENT_DATE: "PAID", PROCESSED_DATE: "PROCESSED", REFUND_DATE: "REFUNDED" };

/** The entries that are drawn: without the last change, and without dates that a status of the same time says already. */
export function stepsOf(entries: Entry[]): Entry[] {
  const reached = new Set(entries.filter(({ status }) => status).map(({ at, status }) => `${at} ${status}`));
  return entries.filter(({ at, source = "" }) => source !== "UPDATED_AT" && !reached.has(`${at} ${statusOf[source]}`));
}

/** The attempts to deliver a webhook, oldest first. The order of the API is not documented. */
export function attemptsOf({ executions }: Pick<Webhook, "executions">): Attempt[] {
  const attempts = executions.filter((attempt) => attempt !== null);
  const times = attempts.map(({ createdAt }) => Date.parse(createdAt));
  return times.some(Number.isNaN) ? attempts : attempts.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}

/** An attempt to deliver a webhook, as it is drawn. */
export interface Attempted {
  at: string;
  webhook: Webhook;
  /** 0 without an answer. */
  statusCode: number;
}

/** The entries in their order, with the attempts of webhooks where their time is between them. One without a time is left out. */
export function withAttempts(entries: readonly Entry[], webhooks: readonly Webhook[]): (Entry | Attempted)[] {
  const timeOf = (at: string | null | undefined) => instantOfDate(at ?? "")?.getTime() ?? Number.NaN;
  const attempts = webhooks.flatMap((webhook) => webhook.executions.flatMap((attempt) => (
    attempt === null || Number.isNaN(timeOf(attempt.createdAt)) ? [] : [{ at: attempt.createdAt, webhook, statusCode: attempt.response.statusCode }])));
  const left = attempts.sort((a, b) => timeOf(a.at) - timeOf(b.at));
  const steps: (Entry | Attempted)[] = [];
  for (const entry of entries) {
    while (left[0] !== undefined && timeOf(left[0].at) < timeOf(entry.at)) steps.push(...left.splice(0, 1));
    steps.push(entry);
  }
  return [...steps, ...left];
}

const units = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]] as const;

/** Milliseconds in at most two units, such as "2 min 5 s"; null for none, and for a text that is no number. */
export function spanText(millis: string | null, locale: string): string | null {
  const seconds = Math.floor(Number(millis ?? Number.NaN) / 1000);
  if (Number.isNaN(seconds) || Number(millis) <= 0) return null;
  if (seconds === 0) return "< 1 s";
  const largest = units.findIndex(([, size]) => seconds >= size);
  let rest = seconds;
  return units.slice(largest, largest + 2).flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count > 0 ? [`${count.toLocaleString(locale)} ${unit}`] : [];
  }).join(" ");
}
