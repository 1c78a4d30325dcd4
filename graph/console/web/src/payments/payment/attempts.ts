import type { Attempt, Webhook } from "./documents.ts";

/** Those that were not delivered first, otherwise in the order of the gateway. */
export function failedFirst<Of extends Pick<Webhook, "delivery">>(webhooks: Of[]): Of[] {
  const isDelivered = ({ delivery }: Of) => Number(delivery.verdict === "DELIVERED");
  return webhooks.toSorted((a, b) => isDelivered(a) - isDelivered(b));
}

/** The attempts, oldest first. The order of the API is not documented. */
export function attemptsOf({ executions }: Pick<Webhook, "executions">): Attempt[] {
  const attempts = executions.filter((attempt) => attempt !== null);
  const times = attempts.map(({ createdAt }) => Date.parse(createdAt));
  return times.some(Number.isNaN) ? attempts : attempts.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}
