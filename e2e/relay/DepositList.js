// What an application that uses Relay writes: the compiler (npm relay-compiler) reads the `graphql` tags of this file,
// checks them against the gateway's schema and writes an artifact for each. In an application babel-plugin-relay puts the
// artifacts in the place of the tags; relay.test.js, which has no bundler, loads them by name, and this file never runs.

import { graphql } from 'relay-runtime';

// A list for infinite scroll. Under the key of @connection Relay joins the pages to one list, a list for each filter.
graphql`
  query DepositListQuery($first: Int!, $after: String, $filter: DepositFilter) {
    deposits(first: $first, after: $after, filter: $filter)
      @connection(key: "DepositList_deposits", filters: ["filter"]) {
      totalCount
      edges {
        node {
          id
          amount
          ...DepositList_row
        }
      }
    }
  }
`;

graphql`
  fragment DepositList_row on Deposit {
    statusRaw
    payer {
      name
    }
  }
`;

// Two parts of a page. @catch hands the errors of a part to it, and the other part does not notice.
graphql`
  query DepositListDetailQuery($id: ID!) {
    transaction(id: $id) @catch(to: RESULT) {
      amount
    }
    deposits(first: 1) @catch(to: RESULT) {
      totalCount
    }
  }
`;
