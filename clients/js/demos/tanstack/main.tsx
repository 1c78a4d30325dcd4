// TanStack Query with graphql-request, and the events of pixgraph-client in its cache.

import { QueryClient, QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query';
import { GraphQLClient, gql } from 'graphql-request';
import { type ReactNode, useEffect } from 'react';
import { type Result, events } from 'pixgraph-client';
import { isRetryable, retryAfterMs } from 'pixgraph-client/errors';
import { send, until, url } from '../session.js';
import { Deposits, type Payment, PaymentPage, Problem, start } from '../view.js';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 3 && isRetryable(error),
      retryDelay: (failures, error) => Math.max(1000 * 2 ** failures, retryAfterMs(error)),
    },
  },
});
const client = new GraphQLClient(url, { fetch: send });

const list = gql`
  query List($first: Int!) {
    deposits(first: $first) { nodes { id amount status statusRaw } }
  }
`;

const watch = gql`
  subscription Watch($id: ID!, $until: [TransactionStatus!], $since: DateTime) {
    transaction(id: $id, until: $until, since: $since) { id amount status statusRaw updatedAt }
  }
`;

interface Listed { deposits: { nodes: (Payment | null)[] } }
type Watched = Result<{ transaction: Payment | null }>;

function List(): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['deposits', 10],
    queryFn: ({ signal }) => client.request<Listed>({ document: list, variables: { first: 10 }, signal }),
  });
  return (
    <>
      <Problem error={error} />
      <Deposits rows={data?.deposits.nodes ?? []} />
    </>
  );
}

/** The last event of a payment, in the cache of queries. */
function useLive(id: string): Watched & { error?: unknown } {
  const cache = useQueryClient();
  useEffect(() => {
    const control = new AbortController();
    const show = (result: Watched & { error?: unknown }) => cache.setQueryData(['payment', id], result);
    (async () => {
      const operation = { query: watch, variables: { id, until } };
      const all = events(url, operation, { fetch: send, signal: control.signal });
      for await (const result of all) show(result as Watched);
    })().catch((error: unknown) => control.signal.aborted || show({ error }));
    return () => control.abort();
  }, [cache, id]);
  return useQuery<Watched & { error?: unknown }>({ queryKey: ['payment', id], enabled: false }).data ?? {};
}

function Watch({ id }: { id: string }): ReactNode {
  const { data, errors, error = errors, extensions } = useLive(id);
  return (
    <>
      <Problem error={error} />
      <PaymentPage payment={data?.transaction} live={extensions?.live} />
    </>
  );
}

start({
  List,
  Watch,
  Provider: ({ children }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>,
});
