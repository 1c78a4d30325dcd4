// Mistakes that the types catch: compilation fails if a line below @ts-expect-error is correct. This function is
// never called.

import type { GraphQLClient } from 'graphql-request';
import type { ErrorCode } from 'pixgraph-client/errors';
import { DepositPageDocument, type DepositPageQuery, TransactionDetailDocument } from './gql/graphql.js';

export async function mistakes(client: GraphQLClient, page: DepositPageQuery): Promise<void> {
  // @ts-expect-error a list may have failed
  page.deposits.nodes;
  // @ts-expect-error a record may be unreadable
  page.deposits?.nodes.map((deposit) => deposit.id);
  const deposit = page.deposits?.nodes[0];
  // @ts-expect-error the field is not in the query
  deposit?.payer;
  // @ts-expect-error an amount is a number
  deposit?.amount.startsWith('R$');
  // @ts-expect-error a deposit has no such status
  deposit?.status === 'PROCESSED';

  // @ts-expect-error `first` is required
  await client.request(DepositPageDocument, {});
  // @ts-expect-error a filter has no such field
  await client.request(DepositPageDocument, { first: 1, filter: { colour: 'blue' } });
  // @ts-expect-error a status is not an arbitrary string
  await client.request(DepositPageDocument, { first: 1, filter: { status: ['PAYED'] } });

  const { transaction } = await client.request(TransactionDetailDocument, { id: 'f2dc7925-3b96-4b1f-a7ad-3351051ce9fc' });
  // @ts-expect-error nothing is known about metadata
  transaction?.metadata.order;
  // @ts-expect-error an optional amount may be missing
  const paid: number = transaction?.amountPaid;
  void paid;

  // @ts-expect-error an error has no such code
  const code: ErrorCode = 'UPSTREAM_DOWN';
  void code;
}
