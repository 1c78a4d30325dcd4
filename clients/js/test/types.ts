// What the types of the package accept and refuse: compilation fails if a line below @ts-expect-error is correct. It is never run.

import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client, cacheExchange as documentCache, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { parse } from 'graphql';
import { type Document, events, withIdleTimeout, withToken } from 'pixgraph-client';
import { liveOf, persistedDocuments, resumingLink, typePolicies, withLive } from 'pixgraph-client/apollo';
import { type ErrorCode, codeOf, partsOf } from 'pixgraph-client/errors';
import { cacheOptions, keys } from 'pixgraph-client/graphcache';
import { formatBRL, parseBRL, sumCents } from 'pixgraph-client/money';
import { fetchFunction, getDataID, missingFieldHandlers, subscribeFunction } from 'pixgraph-client/relay';
import * as sse from 'pixgraph-client/sse';
import { subscriptions } from 'pixgraph-client/urql';
import { awaitTransaction, waitFor } from 'pixgraph-client/wait';
import * as ws from 'pixgraph-client/ws';
import { Environment, Network, RecordSource, Store } from 'relay-runtime';

declare const renew: () => Promise<string>;
declare const deposits: Document<{ deposits: { totalCount: number } | null }, { first: number }>;
declare const payment: Document<{ payment: { status: Status } | null }, {
  id: string | number; until: Status[] | Status; since?: string | null | undefined; timeoutSeconds: number;
}>;
type Status = 'PAID' | 'PENDING';
declare const signal: AbortSignal | undefined;
interface Named { id: string }
declare const named: Named;
const send = withToken(renew, withIdleTimeout());

export async function core(): Promise<void> {
  for await (const { data, extensions } of events('/graphql', { query: deposits, variables: { first: 1 } }, { fetch: send })) {
    data?.deposits?.totalCount.toFixed();
    if (extensions?.live?.reason === 'REACHED') extensions.live.final.valueOf();
    // @ts-expect-error the field is not in the document
    data?.withdrawals;
    // @ts-expect-error there is no such reason
    if (extensions?.live?.reason === 'PAID') return;
  }
  void events<object>('/graphql', { query: 'subscription', variables: named }, { fetch: send, signal });
  // @ts-expect-error `first` is a number
  events('/graphql', { query: deposits, variables: { first: '1' } });
  // @ts-expect-error a syntax tree is no text
  events('/graphql', { query: parse('{ deposits { totalCount } }') });

  const data = await waitFor('/graphql', { query: awaitTransaction, variables: { id: '1', until: ['PAID'] } }, { fetch: send, timeout: 1 });
  data.awaitTransaction?.statusHistory[0]?.date.trim();
  const generated = await waitFor('/graphql', { query: payment, variables: { id: '1', until: ['PAID'] } });
  generated.payment?.status.trim();
  void waitFor('/graphql', { query: payment, variables: { id: '1', until: 'PAID', since: null } });
  void waitFor('/graphql', { query: 'query', variables: { id: '1', until: ['PAID'] } });
  // @ts-expect-error there is no such status
  void waitFor('/graphql', { query: payment, variables: { id: '1', until: ['PAYED'] } });
  // @ts-expect-error it waits for a status
  void waitFor('/graphql', { query: awaitTransaction, variables: { id: '1' } });
}

export function errors(thrown: unknown, result: { data?: { deposits: number; withdrawals: number } | null }): ErrorCode | undefined {
  const { data, problems } = partsOf(result);
  data.deposits.toFixed();
  if (problems.withdrawals === 'RATE_LIMITED') return 'RATE_LIMITED';
  // @ts-expect-error the operation has no such field
  problems.transaction;
  // @ts-expect-error an error has no such code
  if (codeOf(thrown) === 'UPSTREAM_DOWN') return undefined;
  return codeOf(thrown);
}

export function money(): string {
  // @ts-expect-error a missing amount is not zero
  sumCents([1, 2n, '3', null]);
  // @ts-expect-error a text is one amount
  sumCents('15');
  // @ts-expect-error an amount is no number
  parseBRL('1').toFixed();
  return formatBRL(parseBRL('1') + sumCents([1, 2n, '3']));
}

export const apollo = withLive(new ApolloClient({
  link: persistedDocuments().concat(resumingLink()).concat(new HttpLink({ uri: '/graphql', fetch: send })),
  cache: new InMemoryCache({ typePolicies: typePolicies() }),
}));
export const overWebSocket = new GraphQLWsLink(ws.newClient('wss://localhost/graphql', renew, { lazy: false }));
export const final: boolean | undefined = liveOf({ data: {}, error: undefined })?.final;
export const urql = new Client({
  url: '/graphql',
  exchanges: [
    documentCache, cacheExchange({ ...cacheOptions(), keys: { ...keys, Own: () => null } }),
    subscriptions(sse.newClient('/graphql', send)), subscriptions(ws.newClient('wss://localhost/graphql', renew)), fetchExchange,
  ],
});
export const relay = new Environment({
  network: Network.create(fetchFunction('/graphql', send), subscribeFunction('/graphql', send)),
  store: new Store(new RecordSource()),
  getDataID,
  missingFieldHandlers,
});
