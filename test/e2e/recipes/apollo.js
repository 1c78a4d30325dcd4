// Apollo Client 4: the cache of an application.

import { InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';

// With `first` and `after`, select `edges`: the pages become one list for each filter. With `page` and `perPage`, select
// `nodes`: each page is kept separately. Without these keyArgs, page 2 would be read from the cache as page 1.
const joined = relayStylePagination(['filter', 'page', 'perPage']);
const list = {
  ...joined,
  // A list that failed is null, and is requested again. relayStylePagination alone would show an empty list.
  merge: (existing, incoming, options) => (incoming ? joined.merge(existing, incoming, options) : existing),
};

// A record that a list has returned need not be fetched again by its id.
const record = (type) => ({
  read: (_, { args, toReference }) => toReference({ __typename: type, id: args.id }),
});

/** The cache. Records are kept by type and id, so that a deposit and the transaction with its id stay separate. */
export const newCache = () => new InMemoryCache({
  typePolicies: {
    Query: {
      fields: {
        deposits: list,
        withdrawals: list,
        transaction: record('Transaction'),
        withdrawal: record('Withdrawal'),
        notification: record('Notification'),
      },
    },
  },
});
