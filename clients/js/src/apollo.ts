// Apollo Client 4: subscriptions that resume, the policies of its cache, and documents that are sent as hashes.

import {
  type ApolloClient, ApolloLink, type FieldMergeFunction, type FieldPolicy, type FieldReadFunction, Observable,
  type TypePolicies,
} from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { relayStylePagination } from '@apollo/client/utilities';
import type { DocumentNode } from 'graphql';
import { errorsOf } from './errors.js';
import { isTransient } from './http.js';
import type { Live, Result } from './result.js';
import { Resumption } from './resume.js';

/**
 * The link before the HttpLink. Subscriptions over multipart through this link resume after a lost connection, and with
 * a new token after the old one has expired. The application sees no error in either case.
 */
export const resumingLink = (): ApolloLink => new ApolloLink((operation, forward) => {
  if (operation.operationType !== 'subscription') return forward(operation);
  return new Observable((observer) => {
    const resumption = new Resumption(operation.variables);
    let timer: ReturnType<typeof setTimeout>;
    let connection: { unsubscribe(): void } | undefined;
    function begin() {
      let last = false;
      let ended = false;
      const resubscribe = (error?: unknown) => {
        ended = true;
        connection?.unsubscribe();
        timer = setTimeout(begin, resumption.pause(error));
      };
      operation.variables = resumption.variables;
      connection = forward(operation).subscribe({
        next(result) {
          if (ended) return;
          const step = resumption.take(result as Result);
          if (step === 'resubscribe') return resubscribe();
          last = step === 'last';
          observer.next(result);
        },
        error(error) {
          const rejected = resumption.take({ errors: errorsOf(error) }) === 'last';
          if (rejected && isFatal(error)) observer.error(error);
          else resubscribe(error);
        },
        complete: () => ended || (last ? observer.complete() : resubscribe()),
      });
      if (ended) connection.unsubscribe(); // it responded synchronously
    }
    begin();
    return () => {
      clearTimeout(timer);
      connection?.unsubscribe();
    };
  });
});

/** Whether a subscription that failed would fail again: a refused request, or a token that cannot be renewed. */
const isFatal = (error: { name?: string; statusCode?: number }): boolean =>
  !isTransient(error) && (error.name === 'TokenError' || error.statusCode !== undefined);

/** What the last result of each subscription said, by its data or its error. */
const lives = /* @__PURE__ */ new WeakMap<object, Live>();

/**
 * Returns the client, for whose subscriptions `liveOf` works. React's `useSubscription` drops `extensions`, and the
 * cache replaces the data of a result, so the client itself has to keep them.
 */
export function withLive<Client extends Pick<ApolloClient, 'subscribe'>>(client: Client): Client {
  const subscribe = client.subscribe.bind(client) as (options: never) => ReturnType<ApolloClient['subscribe']>;
  client.subscribe = ((options: never) => {
    const results = subscribe(options);
    const kept = new Observable<unknown>((observer) => results.subscribe({
      next(result) {
        const data = result.data && { ...result.data as object }; // equal data of two results is one object
        for (const key of [data, result.error]) if (key) lives.set(key, result.extensions?.['live'] as Live);
        observer.next({ ...result, data });
      },
      error: (error) => observer.error(error),
      complete: () => observer.complete(),
    }));
    return Object.assign(kept, { restart: results.restart });
  }) as Client['subscribe'];
  return client;
}

/**
 * `extensions.live` of what `useSubscription` returns, if its client is of `withLive`; undefined before the first
 * event.
 */
export const liveOf = ({ data, error }: { data?: unknown; error?: unknown }): Live | undefined =>
  lives.get((data ?? error ?? {}) as object);

/**
 * `typePolicies` of InMemoryCache, which keeps records by type and id, so that a deposit and its transaction stay
 * separate.
 */
export function typePolicies(): TypePolicies {
  // With `first` and `after`, select `edges`: the pages become one list for each filter. With `page` and `perPage`,
  // select `nodes`: each page is kept separately. Without these keyArgs, page 2 would be read from the cache as page 1.
  const joined = relayStylePagination(['filter', 'page', 'perPage']);
  const merge = joined.merge as FieldMergeFunction;
  const list: FieldPolicy = {
    ...joined as FieldPolicy,
    // A list that failed is null, and is requested again. relayStylePagination alone would show an empty list.
    merge: (existing, incoming, options) => (incoming ? merge(existing, incoming, options) : existing),
  };
  // A record that a list has returned need not be fetched again by its id.
  const record = (type: string): FieldReadFunction => (_, { args, toReference }) =>
    toReference({ __typename: type, id: args?.['id'] });
  return {
    Query: {
      fields: {
        deposits: list,
        withdrawals: list,
        transaction: record('Transaction'),
        withdrawal: record('Withdrawal'),
        notification: record('Notification'),
      },
    },
  };
}

/**
 * The link before the HttpLink that sends the hashes of documents, which graphql-codegen has written into them, never
 * their text.
 */
export const persistedDocuments = (): ApolloLink => new PersistedQueryLink({
  generateHash: (document: DocumentNode) => (document as { __meta__?: { hash: string } }).__meta__!.hash,
  retry: () => false,
  disable: () => false,
});
