// Relay: its network, over fetch, and the ids of its store.

import {
  type CacheConfig, type FetchFunction, type GraphQLResponse, type MissingFieldHandler, Observable,
  type RequestParameters, type SubscribeFunction, type Variables,
} from 'relay-runtime';
import { events } from './events.js';
import { json, post, resultOf, textOf } from './http.js';
import type { Fetch, Live, Operation } from './result.js';

/**
 * The first argument of `Network.create`. It sends the id of a persisted document if the compiler left the text out.
 */
export const fetchFunction = (url: string, send: Fetch = fetch): FetchFunction => (params, variables) =>
  observe(async (signal, next) => {
    next(await resultOf(await post(send, url, textOf(operationOf(params, variables)), json, signal)));
  });

/**
 * The second argument of `Network.create`. Its subscriptions resume. Relay does not pass `extensions` to components:
 * `cacheConfig: { metadata: { onLive } }` of a subscription names a function that is called with `extensions.live` of
 * each event.
 *
 * @param send such as `withToken(renew, withIdleTimeout())`
 */
export function subscribeFunction(url: string, send: Fetch = fetch): SubscribeFunction {
  return (params, variables, cacheConfig) => observe(async (signal, next) => {
    for await (const result of events(url, operationOf(params, variables), { fetch: send, signal })) {
      const { live } = result.extensions ?? {};
      if (live) (cacheConfig as LiveConfig).metadata?.onLive?.(live);
      next(result);
    }
  });
}

type LiveConfig = CacheConfig & { metadata?: { onLive?: (live: Live) => void } };

/** The body of an operation: with `persistConfig` but not `include_query_text`, its text is null. */
const operationOf = ({ id, text }: RequestParameters, variables: Variables): Operation =>
  (text == null ? { documentId: id!, variables } : { query: text, variables });

/** The observable of a request, which is aborted if Relay no longer wants it. */
const observe = (request: (signal: AbortSignal, next: (result: unknown) => void) => Promise<void>) =>
  Observable.create<GraphQLResponse>((sink) => {
    const control = new AbortController();
    request(control.signal, sink.next as (result: unknown) => void)
      .then(sink.complete, (error: Error) => control.signal.aborted || sink.error(error));
    return () => control.abort();
  });

/**
 * `getDataID` of an Environment: the store keeps records by type and id, such as `Deposit:…` and `Transaction:…`,
 * because a deposit and its transaction have the same id. `ConnectionHandler` and updaters use these ids.
 */
export const getDataID = (record: { readonly id?: unknown }, type: string): string | null =>
  (record.id == null ? null : `${type}:${record.id as string}`);

/** `missingFieldHandlers` of an Environment: a record that the store has is not fetched again by its id. */
export const missingFieldHandlers: readonly MissingFieldHandler[] = [{
  kind: 'linked',
  handle(field, parent, { id }: { id?: unknown }) {
    const type = records[field.name];
    return type && parent?.getType() === '__Root' && id != null ? `${type}:${id as string}` : undefined;
  },
}];

const records: Record<string, string> = {
  transaction: 'Transaction',
  withdrawal: 'Withdrawal',
  notification: 'Notification',
};
