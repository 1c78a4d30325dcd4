// urql: subscriptions that resume.

import { type Exchange, type SubscriptionOperation, subscriptionExchange } from '@urql/core';
import type { SubscriptionClient } from './subscriptions.js';

/**
 * The exchange for subscriptions, before urql's fetchExchange. The results of `useSubscription` have `extensions.live`.
 *
 * @param client of pixgraph-client/sse or pixgraph-client/ws
 */
export const subscriptions = (client: SubscriptionClient): Exchange => subscriptionExchange({
  forwardSubscription: (request) => ({
    subscribe: (sink) => ({
      unsubscribe: client.subscribe(request as SubscriptionOperation & { query: string }, {
        ...sink,
        // Without `errors`, urql would keep the errors of the event before.
        next: (result) => sink.next({ errors: [], ...result as object }),
      }),
    }),
  }),
});
