// One payment with the webhooks about it.

import type { GraphQLClient } from 'graphql-request';
import { formatBRL } from 'pixgraph-client/money';
import { TransactionDetailDocument, type TransactionDetailQuery } from './gql/graphql.js';

export type Transaction = NonNullable<TransactionDetailQuery['transaction']>;

/** Loads one payment. It throws a ClientError if it does not exist (NOT_FOUND) or cannot be fetched. */
export async function loadTransaction(client: GraphQLClient, id: string): Promise<Transaction> {
  const { transaction } = await client.request(TransactionDetailDocument, { id });
  if (!transaction) throw new Error('a transaction that is null comes with an error'); // the request has thrown in that case
  return transaction;
}

/** A line for each webhook: its URL and the result of its last attempt. */
export function describeNotifications({ notifications }: Transaction): string[] {
  if (!notifications) return ['the notifications cannot be read']; // an error says why
  return notifications.nodes.map((notification) => {
    if (!notification) return 'one cannot be read';
    const last = notification.executions.at(-1);
    const answer = last ? `${last.response.statusCode} in ${last.response.responseTime} ms` : 'never tried';
    return `${notification.status} to ${notification.url}: ${answer}`;
  });
}

/** The paid amount, if it is known: a missing amount is not zero. */
export function describePayment({ amount, amountPaid }: Transaction): string {
  return amountPaid == null ? formatBRL(amount) : `${formatBRL(amountPaid)} of ${formatBRL(amount)}`;
}
