// The client for the operations in this directory. graphql-request accepts typed documents, like Apollo Client and urql:
// each has the types of its variables and its result.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { ClientError, GraphQLClient, type Variables } from 'graphql-request';
import { type Parts, partsOf } from 'pixgraph-client/errors';

/**
 * A client for a gateway.
 *
 * @param url such as https://pix.example.com/graphql
 * @param token returns the caller's bearer token; it is called for each request, because tokens expire
 */
export function newClient(url: string, token: () => string): GraphQLClient {
  return new GraphQLClient(url, { headers: () => ({ authorization: `Bearer ${token()}` }) });
}

/** Runs an operation whose parts may fail independently. It throws only if there is no data at all. */
export async function requestParts<Result, Vars extends Variables>(
  client: GraphQLClient, document: TypedDocumentNode<Result, Vars>, variables: Vars,
): Promise<Parts<Result>> {
  try {
    return partsOf({ data: await client.request<Result>({ document, variables }) });
  } catch (error) {
    if (error instanceof ClientError) return partsOf(error.response as { data?: Result });
    throw error;
  }
}
