// A list, page by page.

import type { GraphQLClient } from 'graphql-request';
import { type DepositFilter, DepositPageDocument, type DepositPageQuery } from './gql/graphql.js';

export type DepositPage = NonNullable<DepositPageQuery['deposits']>;

/**
 * The pages of a list, each fetched when it is asked for. It throws a ClientError where a page cannot be had;
 * PAGINATION_UNSUPPORTED is a gateway that was not told how its API is paged.
 *
 * @param size deposits per page, 1 to 100
 * @param filter stays the same for all pages: a cursor belongs to the filter that it came from
 */
export async function* depositPages(
  client: GraphQLClient, size: number, filter: DepositFilter | null = null,
): AsyncGenerator<DepositPage> {
  let after: string | null = null;
  for (;;) {
    const { deposits }: DepositPageQuery = await client.request(DepositPageDocument, { first: size, after, filter });
    if (!deposits) throw new Error('a page that is null comes with an error'); // which request has thrown
    yield deposits;
    if (!deposits.pageInfo.hasNextPage) return;
    after = deposits.pageInfo.endCursor ?? null;
  }
}
