// A list of deposits. The types of variables and data come from the text of the document.

import type { GraphQLClient } from 'graphql-request';
import { graphql } from './graphql.js';

const Deposits = graphql(`
  query Deposits($first: Int!, $filter: DepositFilter) {
    deposits(first: $first, filter: $filter) { nodes { id amount createdAt status } }
  }
`);

/** The amounts of the newest paid deposits, in cents. An unreadable deposit is undefined. */
export async function paidAmounts(client: GraphQLClient, first: number): Promise<(number | undefined)[] | undefined> {
  const { deposits } = await client.request(Deposits, { first, filter: { status: ['PAID'] } });
  return deposits?.nodes.map((deposit) => deposit?.amount);
}

/** Mistakes that the types catch; this function is never called. */
export async function mistakes(client: GraphQLClient): Promise<void> {
  // @ts-expect-error a status is not an arbitrary string
  const { deposits } = await client.request(Deposits, { first: 1, filter: { status: ['PAYED'] } });
  // @ts-expect-error the field is not in the document
  deposits?.nodes[0]?.payer;
}
