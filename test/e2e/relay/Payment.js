// A payment and its subscription, as in DepositList.js.

import { graphql } from 'relay-runtime';

graphql`
  query PaymentQuery($id: ID!) {
    transaction(id: $id) {
      id
      status
      updatedAt
    }
  }
`;

graphql`
  subscription PaymentSubscription($id: ID!, $until: [TransactionStatus!], $since: DateTime) {
    transaction(id: $id, until: $until, since: $since) {
      id
      status
      updatedAt
    }
  }
`;
