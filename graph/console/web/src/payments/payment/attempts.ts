import type { Attempt, Webhook } from "./documents.ts";

/** Whether a webhook was not delivered, as far as its record tells. */
export function isFailed({ delivery }: Pick<Webhook, "delivery">): boolean {
  return delivery.verdict !== "DELIVERED";
}

/** The attempts, oldest first. The order of the API is not documented. */
export function attemptsOf({ executions }: Pick<Webhook, "executions">): Attempt[] {
  const attempts = executions.filter((attempt) => attempt !== null);
  const times = attempts.map(({ createdAt }) => Date.parse(createdAt));
  return times.some(Number.isNaN) ? attempts : attempts.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}
