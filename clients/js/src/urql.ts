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
    subscribe(sink) {
      let first = true;
      const unsubscribe = client.subscribe(request as SubscriptionOperation & { query: string }, {
        ...sink,
        next(result) {
          // Without `errors`, urql would keep the errors of the event before; with an empty list, the first event would
          // have an error.
          sink.next(first ? result as object : { errors: [], ...result as object });
          first = false;
        },
      });
      return { unsubscribe };
    },
  }),
});
