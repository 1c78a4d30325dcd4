// The client of the operations beside this file. graphql-request takes typed documents, as Apollo Client and urql do: each
// knows the type of its variables and of its result.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { ClientError, GraphQLClient, type Variables } from 'graphql-request';

/**
 * A client of a gateway.
 *
 * @param url such as https://pix.example.com/graphql
 * @param token gives the caller's bearer token each time it is needed, as tokens end
 */
export function newClient(url: string, token: () => string): GraphQLClient {
  return new GraphQLClient(url, { headers: () => ({ authorization: `Bearer ${token()}` }) });
}

/** A partial answer: what could be had, and for each part that could not, by its name, the code of the error. */
export interface Parts<Result> {
  data: Result;
  problems: Record<string, string>;
}

/** Runs an operation whose parts may fail one by one. It throws only when there is no data at all. */
export async function requestParts<Result, Vars extends Variables>(
  client: GraphQLClient, document: TypedDocumentNode<Result, Vars>, variables: Vars,
): Promise<Parts<Result>> {
  try {
    const data = await client.request<Result>({ document, variables });
    return { data, problems: {} };
  } catch (error) {
    if (!(error instanceof ClientError) || !error.response.data) throw error;
    const problems: Record<string, string> = {};
    for (const { path, extensions } of error.response.errors ?? []) {
      problems[String(path?.[0])] = String(extensions['code']);
    }
    return { data: error.response.data as Result, problems };
  }
}
