// The three composers of federated schemas.

import { composeServices as composeApollo } from '@apollo/composition';
import { composeServices as composeGuild, transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import wundergraph from '@wundergraph/composition';
import { buildASTSchema, parse } from 'graphql';

/**
 * Each returns the schema for clients, or throws with the composer's errors.
 *
 * @type {Record<string, (subgraphs: { name: string, url: string, sdl: string }[]) => { client: import('graphql').GraphQLSchema, supergraph?: string }>}
 */
export const composers = {
  '@apollo/composition': (subgraphs) => ofSupergraph(composeApollo(services(subgraphs))),
  '@theguild/federation-composition': (subgraphs) => ofSupergraph(composeGuild(services(subgraphs))),
  '@wundergraph/composition'(subgraphs) {
    const { success, errors, federatedGraphClientSchema } = wundergraph.federateSubgraphs({
      subgraphs: services(subgraphs).map(({ name, url, typeDefs }) => ({ name, url, definitions: typeDefs })),
      version: wundergraph.LATEST_ROUTER_COMPATIBILITY_VERSION,
    });
    if (!success) throw new Error(errors.join('\n'));
    return { client: federatedGraphClientSchema };
  },
};

const services = (subgraphs) => subgraphs.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) }));

function ofSupergraph({ errors, supergraphSdl }) {
  if (errors?.length > 0) throw new Error(errors.join('\n'));
  return { client: buildASTSchema(transformSupergraphToPublicSchema(parse(supergraphSdl))), supergraph: supergraphSdl };
}
