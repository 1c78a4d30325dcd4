// Apollo Client with React.

import { ApolloClient, HttpLink, InMemoryCache, type TypedDocumentNode, gql } from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';
import { ApolloProvider, useQuery, useSubscription } from '@apollo/client/react';
import type { ReactNode } from 'react';
import { liveOf, resumingLink, typePolicies, withLive } from 'pixgraph-client/apollo';
import { send, until, url } from '../session.js';
import { Deposits, type Payment, PaymentPage, Problem, start } from '../view.js';

const client = withLive(new ApolloClient({
  link: resumingLink().concat(new HttpLink({ uri: url, fetch: send })),
  cache: new InMemoryCache({ typePolicies: typePolicies() }),
  incrementalHandler: new Defer20220824Handler(),
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

interface Notified { id: string; notifications?: { nodes: readonly unknown[] } | null }

/** The payment is shown at once, and its webhooks when the dispatcher has them. */
const notified: TypedDocumentNode<{ transaction: Notified | null }, { id: string }> = gql`
  query Notified($id: ID!) {
    transaction(id: $id) { id ... @defer { notifications { nodes { id status } } } }
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

function Webhooks({ id }: { id: string }): ReactNode {
  const { data } = useQuery(notified, { variables: { id }, errorPolicy: 'all' });
  const nodes = data?.transaction?.notifications?.nodes;
  return <p id="webhooks">{nodes === undefined ? 'reading webhooks' : `${nodes.length} webhooks`}</p>;
}

function Watch({ id }: { id: string }): ReactNode {
  const { data, error } = useSubscription(watch, { variables: { id, until }, errorPolicy: 'all' });
  return (
    <>
      <Problem error={error} />
      <PaymentPage payment={data?.transaction} live={liveOf({ data, error })} />
      <Webhooks id={id} />
    </>
  );
}

start({ List, Watch, Provider: ({ children }) => <ApolloProvider client={client}>{children}</ApolloProvider> });
