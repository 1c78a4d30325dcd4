// Apollo's gateway for Node, as the router in front of both subgraphs.

import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway';
import { parse } from 'graphql';
import { composers } from './composers.js';

process.env.APOLLO_TELEMETRY_DISABLED = 'true'; // otherwise it looks for the cloud that it runs in, for seconds

/**
 * A router over subgraphs. Its `query` sends an operation with the token of a user, which it forwards.
 *
 * @param {{ name: string, url: string, sdl: string }[]} subgraphs
 */
export async function startRouter(subgraphs) {
  const sent = []; // the requests that it has sent to subgraphs, with the costs of operations
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const router = new ApolloGateway({
    supergraphSdl: composers['@apollo/composition'](subgraphs).supergraph,
    logger: silent,
    buildService: ({ name, url }) => new RemoteGraphQLDataSource({
      url,
      willSendRequest({ request, context }) {
        sent.push({ name, request });
        if (context.authorization) request.http.headers.set('authorization', context.authorization);
        request.http.headers.set('x-pixgraph-cost', '1');
      },
      didReceiveResponse({ request, response }) {
        sent.find((each) => each.request.http === request.http).cost = response.extensions?.cost?.upstreamCalls;
        return response;
      },
    }),
  });
  const { executor } = await router.load();
  return {
    sent,
    query: (text, { token, variables = {} } = {}) => executor({
      document: parse(text), queryHash: text, request: { query: text, variables, http: { headers: new Map() } }, operationName: null,
      context: { authorization: token && `Bearer ${token}` }, logger: silent, metrics: {}, cache: new Map(),
    }),
    stop: () => router.stop(),
  };
}
