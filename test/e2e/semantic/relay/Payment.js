import { graphql } from 'relay-runtime';

export const query = graphql`
  query PaymentQuery($id: ID!, $ids: [ID!]!) @throwOnFieldError {
    transaction(id: $id) { id amountPaid }
    transactions(ids: $ids) { id }
  }
`;
