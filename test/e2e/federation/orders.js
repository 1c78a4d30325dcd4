// A second subgraph: orders of a shop, which know their payments by id.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { buildSchema, graphql } from 'graphql';

/** The schema, as its service and composers have it. */
export const sdl = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external", "@requires"])

  scalar Cents

  type Query {
    orders: [Order!]!
    newest: OrderConnection!
  }

  type OrderConnection { nodes: [Order!]! pageInfo: PageInfo! }

  type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }

  type Order @key(fields: "id") {
    id: ID!
    transaction: Transaction
    payout: Withdrawal
    webhook: Notification
  }

  type Transaction @key(fields: "id", resolvable: false) { id: ID! }
  type Withdrawal @key(fields: "id") { id: ID! amount: Cents! @external entry: String @requires(fields: "amount") }
  type Notification @key(fields: "id", resolvable: false) { id: ID! }
  type Deposit @key(fields: "id") { id: ID! order: Order }
`;

const definitions = `
  scalar _Any
  scalar FieldSet
  scalar Import
  union _Entity = Deposit | Order | Withdrawal
  type _Service { sdl: String! }
  extend type Query { _entities(representations: [_Any!]!): [_Entity]! _service: _Service! }
  directive @key(fields: FieldSet!, resolvable: Boolean = true) repeatable on OBJECT
  directive @shareable on OBJECT
  directive @external on FIELD_DEFINITION
  directive @requires(fields: FieldSet!) on FIELD_DEFINITION
  directive @link(url: String!, import: [Import]) repeatable on SCHEMA
`;

/** Starts the service on a free port of loopback. Its orders are those of `orders`, which a test may replace. */
export async function startOrders() {
  const schema = buildSchema(sdl + definitions);
  const service = { orders: [], url: undefined, stop: undefined };
  const rootValue = {
    orders: () => service.orders,
    newest: () => ({ nodes: service.orders, pageInfo: { hasNextPage: false, hasPreviousPage: false } }),
    _service: () => ({ sdl }),
    _entities: ({ representations }) => representations.map(({ __typename, id, amount }) => ({ __typename, ...{
      Deposit: () => ({ id, order: service.orders.find(({ transaction }) => transaction?.id === id) }),
      Order: () => service.orders.find((order) => order.id === id),
      Withdrawal: () => ({ id, entry: `-${amount}` }),
    }[__typename]() })),
  };
  const server = createServer(async (request, response) => {
    const { query, variables } = JSON.parse(await text(request));
    const result = await graphql({ schema, source: query, variableValues: variables, rootValue });
    response.setHeader('content-type', 'application/json').end(JSON.stringify(result));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  service.url = `http://127.0.0.1:${server.address().port}/`;
  service.stop = () => server.close().closeAllConnections();
  return service;
}
