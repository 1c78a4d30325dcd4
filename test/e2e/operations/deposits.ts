// A list, page by page.

import type { GraphQLClient } from 'graphql-request';
import { type DepositFilter, DepositPageDocument, type DepositPageQuery } from './gql/graphql.js';

export type DepositPage = NonNullable<DepositPageQuery['deposits']>;

/**
 * The pages of a list, each fetched on demand. It throws a ClientError if a page cannot be fetched;
 * PAGINATION_UNSUPPORTED means that the gateway is not configured with the API's paging parameters.
 *
 * @param size deposits per page, 1 to 100
 * @param filter must be the same for all pages: a cursor belongs to the filter that it came from
 */
export async function* depositPages(
  client: GraphQLClient, size: number, filter: DepositFilter | null = null,
): AsyncGenerator<DepositPage> {
  let after: string | null = null;
  for (;;) {
    const { deposits }: DepositPageQuery = await client.request(DepositPageDocument, { first: size, after, filter });
    if (!deposits) throw new Error('a page that is null comes with an error'); // the request has thrown in that case
    yield deposits;
    if (!deposits.pageInfo.hasNextPage) return;
    after = deposits.pageInfo.endCursor ?? null;
  }
}
