// Apollo Client with React.

import { ApolloClient, HttpLink, InMemoryCache, type TypedDocumentNode, gql } from '@apollo/client';
import { ApolloProvider, useQuery, useSubscription } from '@apollo/client/react';
import type { ReactNode } from 'react';
import { liveOf, resumingLink, typePolicies, withLive } from 'pixgraph-client/apollo';
import { send, until, url } from '../session.js';
import { Deposits, type Payment, PaymentPage, Problem, start } from '../view.js';

const client = withLive(new ApolloClient({
  link: resumingLink().concat(new HttpLink({ uri: url, fetch: send })),
  cache: new InMemoryCache({ typePolicies: typePolicies() }),
}));

interface Page { edges: ({ node: Payment | null } | null)[]; pageInfo: { endCursor: string | null } }

const list: TypedDocumentNode<{ deposits: Page | null }, { first: number; after?: string }> = gql`
  query List($first: Int!, $after: String) {
    deposits(first: $first, after: $after) {
      edges { node { id amount status statusRaw } }
      pageInfo { endCursor hasNextPage }
    }
  }
`;

const watch: TypedDocumentNode<{ transaction: Payment | null }, { id: string; until: readonly string[] }> = gql`
  subscription Watch($id: ID!, $until: [TransactionStatus!], $since: DateTime) {
    transaction(id: $id, until: $until, since: $since) { id amount status statusRaw updatedAt }
  }
`;

function List(): ReactNode {
  const { data, error, fetchMore } = useQuery(list, { variables: { first: 10 }, errorPolicy: 'all' });
  const { edges = [], pageInfo } = data?.deposits ?? {};
  const after = pageInfo?.endCursor;
  return (
    <>
      <Problem error={error} />
      <Deposits rows={edges.map((edge) => edge?.node)} />
      {after && <button onClick={() => void fetchMore({ variables: { after } })}>more</button>}
    </>
  );
}

function Watch({ id }: { id: string }): ReactNode {
  const { data, error } = useSubscription(watch, { variables: { id, until }, errorPolicy: 'all' });
  return (
    <>
      <Problem error={error} />
      <PaymentPage payment={data?.transaction} live={liveOf({ data, error })} />
    </>
  );
}

start({ List, Watch, Provider: ({ children }) => <ApolloProvider client={client}>{children}</ApolloProvider> });
