// Code of an application with Relay: the compiler (npm relay-compiler) reads the `graphql` tags of this file, checks them
// against the gateway's schema and writes an artifact for each. In an application babel-plugin-relay replaces the tags by
// the artifacts. relay.test.js has no bundler and loads them by name, so this file is never run.

import { graphql } from 'relay-runtime';

// A list for infinite scroll. With the key of @connection Relay joins the pages into one list, for each filter.
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

// Two parts of a page. @catch returns the errors of a part with that part, without affecting the other one.
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

// The same parts without error handling of their own: reading them throws if any of them failed.
graphql`
  query DepositListStrictQuery($id: ID!) @throwOnFieldError {
    transaction(id: $id) {
      amount
    }
    deposits(first: 1) {
      totalCount
    }
  }
`;
