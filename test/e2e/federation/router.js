// Two routers in front of both subgraphs, which forward the token of the user as docs/federation.md says.

import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { parse } from 'graphql';
import { composers } from './composers.js';

process.env.APOLLO_TELEMETRY_DISABLED = 'true'; // otherwise Apollo's looks for the cloud that it runs in, for seconds

/**
 * Each starts a router over subgraphs. Its `query` sends an operation with the token of a user; `requests` has the bodies that it
 * has sent to the subgraphs, with the costs of operations.
 */
export const routers = {
  /** Apollo's gateway for Node. */
  async '@apollo/gateway'(subgraphs) {
    const requests = [];
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const router = new ApolloGateway({
      supergraphSdl: composers['@apollo/composition'](subgraphs).supergraph,
      logger,
      buildService: ({ name, url }) => new RemoteGraphQLDataSource({
        url,
        willSendRequest({ request, context }) {
          requests.push({ name, http: request.http, query: request.query, variables: request.variables });
          if (name !== 'pix') return;
          if (context.authorization) request.http.headers.set('authorization', context.authorization);
          request.http.headers.set('x-pixgraph-cost', '1');
        },
        didReceiveResponse({ request, response }) {
          requests.find(({ http }) => http === request.http).cost = response.extensions?.cost?.upstreamCalls;
          return response;
        },
      }),
    });
    const { executor } = await router.load();
    return {
      requests,
      query: async (text, { authorization } = {}) => JSON.parse(JSON.stringify(await executor({
        document: parse(text), queryHash: text, request: { query: text, variables: {}, http: { headers: new Map() } }, operationName: null,
        context: { authorization }, logger, metrics: {}, cache: new Map(),
      }))),
      stop: () => router.stop(),
    };
  },

  /** The engine of Hive Gateway, without the other programs of its package. */
  async '@graphql-hive/gateway-runtime'(subgraphs) {
    const requests = [];
    const runtime = createGatewayRuntime({
      logging: false,
      supergraph: composers['@theguild/federation-composition'](subgraphs).supergraph,
      propagateHeaders: {
        fromClientToSubgraphs({ request, subgraphName }) {
          if (subgraphName === 'pix') return { authorization: request.headers.get('authorization'), 'x-pixgraph-cost': '1' };
        },
      },
      plugins: () => [{
        onFetch({ options }) {
          if (!options.body) return undefined; // a subscription
          const request = JSON.parse(options.body);
          requests.push(request);
          return async ({ response }) => {
            request.cost = (await response.clone().json()).extensions?.cost?.upstreamCalls;
          };
        },
      }],
    });
    return {
      requests,
      fetch: (url, init) => runtime.fetch(url, init),
      async query(query, headers = {}) {
        const body = JSON.stringify({ query });
        return (await runtime.fetch('http://localhost/graphql', { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body })).json();
      },
      stop: () => runtime[Symbol.asyncDispose](),
    };
  },
};
