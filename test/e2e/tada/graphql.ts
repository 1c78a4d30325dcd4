// The function that types documents, with the types of the gateway's scalars.

import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './graphql-env.js';

export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { Cents: number; Decimal: number; DecimalText: string; DateTime: string; URL: string; JSON: unknown };
}>();
