#!/bin/sh
# Fusion composition of GraphQL Mesh (@graphql-mesh/fusion-composition 0.11.2) drops the default of an argument of a
# directive's definition, and keeps uses of the directive that rely on it. Its own supergraph is then refused as invalid:
# the argument "levels" is required.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-fund --no-audit --prefix . graphql@16.15.0 @graphql-mesh/fusion-composition@0.11.2
cat > run.mjs <<'JS'
import { buildSchema, parse, print, validateSchema } from 'graphql';
import { composeSubgraphs } from '@graphql-mesh/fusion-composition';

const schema = buildSchema(`
  directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION
  type Query { status: String @semanticNonNull }
`);
const { supergraphSdl } = composeSubgraphs([{ name: 'pix', schema }]);
const definition = parse(supergraphSdl).definitions.find(({ kind, name }) => kind === 'DirectiveDefinition' && name.value === 'semanticNonNull');
console.log(print(definition));
console.log(supergraphSdl.match(/status:.*/)[0]);
if (/= *\[0\]/.test(print(definition)) || /levels/.test(supergraphSdl.match(/status:.*/)[0])) throw new Error('the default is kept');
JS
node run.mjs
