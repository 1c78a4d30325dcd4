// One payment with the webhooks about it.

import type { GraphQLClient } from 'graphql-request';
import { TransactionDetailDocument, type TransactionDetailQuery } from './gql/graphql.js';
import { formatCents } from './money.js';

export type Transaction = NonNullable<TransactionDetailQuery['transaction']>;

/** Loads one payment. It throws a ClientError if it does not exist (NOT_FOUND) or cannot be fetched. */
export async function loadTransaction(client: GraphQLClient, id: string): Promise<Transaction> {
  const { transaction } = await client.request(TransactionDetailDocument, { id });
  if (!transaction) throw new Error('a transaction that is null comes with an error'); // the request has thrown in that case
  return transaction;
}

/** A line for each webhook: its URL and the result of its last attempt. */
export function describeNotifications({ notifications }: Transaction): string[] {
  if (!notifications) return ['you may not see the notifications'];
  const lines = notifications.nodes.map((notification) => {
    if (!notification) return 'unreadable';
    const last = notification.executions.at(-1);
    const answer = last ? `${last.response.statusCode} in ${last.response.responseTime} ms` : 'never tried';
    return `${notification.status} to ${notification.url}: ${answer}`;
  });
  for (const link of notifications.links) {
    if (link.state === 'UNAVAILABLE') lines.push(`${link.notificationId} cannot be read now`);
  }
  return notifications.complete ? lines : [...lines, 'there may be more'];
}

/** The paid amount, if it is known: a missing amount is not zero. */
export function describePayment({ amount, amountPaid }: Transaction): string {
  return amountPaid == null ? formatCents(amount) : `${formatCents(amountPaid)} of ${formatCents(amount)}`;
}
