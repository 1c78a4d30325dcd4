/** The attempts to deliver a webhook, oldest first. The order of the API is not documented. */
export function attemptsOf<Attempt extends { createdAt: string }>({ executions }: { executions: readonly (Attempt | null)[] }): Attempt[] {
  const attempts = executions.filter((attempt) => attempt !== null);
  const times = attempts.map(({ createdAt }) => Date.parse(createdAt));
  return times.some(Number.isNaN) ? attempts : attempts.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}
