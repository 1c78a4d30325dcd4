// urql with React, Graphcache and graphql-sse.

import { cacheExchange } from '@urql/exchange-graphcache';
import type { ReactNode } from 'react';
import { cacheOptions } from 'pixgraph-client/graphcache';
import type { Live } from 'pixgraph-client';
import { newClient } from 'pixgraph-client/sse';
import { subscriptions } from 'pixgraph-client/urql';
import { Client, Provider, fetchExchange, gql, useQuery, useSubscription } from 'urql';
import { send, until, url } from '../session.js';
import { Deposits, type Payment, PaymentPage, Problem, start } from '../view.js';

const client = new Client({
  url,
  fetch: send,
  preferGetMethod: false,
  exchanges: [cacheExchange(cacheOptions()), subscriptions(newClient(url, send)), fetchExchange],
});

const list = gql<{ deposits: { nodes: (Payment | null)[] } | null }>`
  query List($first: Int!) {
    deposits(first: $first) { nodes { id amount status statusRaw } }
  }
`;

const watch = gql<{ transaction: Payment | null }>`
  subscription Watch($id: ID!, $until: [TransactionStatus!], $since: DateTime) {
    transaction(id: $id, until: $until, since: $since) { id amount status statusRaw updatedAt }
  }
`;

function List(): ReactNode {
  const [{ data, error }] = useQuery({ query: list, variables: { first: 10 } });
  return (
    <>
      <Problem error={error} />
      <Deposits rows={data?.deposits?.nodes ?? []} />
    </>
  );
}

function Watch({ id }: { id: string }): ReactNode {
  const [{ data, error, extensions }] = useSubscription({ query: watch, variables: { id, until } });
  return (
    <>
      <Problem error={error} />
      <PaymentPage payment={data?.transaction} live={extensions?.['live'] as Live | undefined} />
    </>
  );
}

start({ List, Watch, Provider: ({ children }) => <Provider value={client}>{children}</Provider> });
