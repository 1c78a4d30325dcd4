import { subscriptionExchange } from '@urql/core';

/** The exchange for subscriptions, over a client of live-sse.js or live-ws.js. */
export const subscriptions = (client) => subscriptionExchange({
  forwardSubscription: (request) => ({
    subscribe: (sink) => ({
      unsubscribe: client.subscribe(request, {
        ...sink,
        // Without `errors`, urql would keep the errors of the event before.
        next: (result) => sink.next({ errors: [], ...result }),
      }),
    }),
  }),
});
