// How much came in, in all and by day. A sum is a string, because it may be larger than the exact numbers of JavaScript.

import type { GraphQLClient } from 'graphql-request';
import { centsOf } from 'pixgraph-client/money';
import { type DepositFilter, DepositSumsDocument, type IncompleteReason } from './gql/graphql.js';

export interface DepositSums {
  cents: bigint | null; // null if it is not known
  days: { day: string; count: number; cents: bigint }[];
  missing: IncompleteReason | null; // why the sums may not be those of all deposits; null if they are
}

/** The sums of the deposits that match a filter. It throws a ClientError if a page cannot be read. */
export async function sumDeposits(client: GraphQLClient, filter: DepositFilter | null = null): Promise<DepositSums> {
  const { depositSummary: summary } = await client.request(DepositSumsDocument, { filter });
  if (!summary) throw new Error('a summary that is null comes with an error'); // the request has thrown in that case
  return {
    cents: summary.amount ? centsOf(summary.amount) : null,
    days: summary.groups.map(({ day, count, amount }) => ({ day: day ?? '', count, cents: centsOf(amount ?? 0) })),
    missing: summary.complete ? null : summary.reason ?? null,
  };
}
