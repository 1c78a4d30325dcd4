// A subscription, as in DepositList.js.

import { graphql } from 'relay-runtime';

graphql`
  subscription PaymentSubscription($id: ID!, $until: [TransactionStatus!], $since: DateTime) {
    transaction(id: $id, until: $until, since: $since) {
      id
      status
      updatedAt
    }
  }
`;
