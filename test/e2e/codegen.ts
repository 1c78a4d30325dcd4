// The configuration of graphql-codegen: `npx graphql-codegen --config codegen.ts`. With a token it reads the schema by
// introspection, without one from /schema.graphql; the generated code is the same.

import { addTypenameSelectionDocumentTransform } from '@graphql-codegen/client-preset';
import type { CodegenConfig } from '@graphql-codegen/cli';

const { GATEWAY = 'http://localhost:8080', TOKEN } = process.env;

const config: CodegenConfig = {
  schema: TOKEN
    ? { [`${GATEWAY}/graphql`]: { headers: { Authorization: `Bearer ${TOKEN}` } } }
    : `${GATEWAY}/schema.graphql`,
  documents: 'operations/*.graphql',
  generates: {
    'operations/gql/': {
      preset: 'client',
      presetConfig: {
        fragmentMasking: { unmaskFunctionName: 'readFragment' }, // a component can read only the fields of its own fragment
        persistedDocuments: { hashAlgorithm: 'sha256' }, // writes persisted-documents.json, a manifest for the gateway
      },
      // A document that is sent as a hash runs as it was generated, so it must have the __typename that caches add.
      documentTransforms: [addTypenameSelectionDocumentTransform],
      config: {
        strictScalars: true, // a scalar that is not listed here is an error, not `any`
        scalars: {
          // Exact up to 9007199254740991 cents, ninety trillion reais. For larger amounts, parse the response yourself.
          Cents: 'number',
          // Also a number. A double may lose its last digits: display it, but do not add it up.
          Decimal: 'number',
          // A sum of any size, exact: centsOf of pixgraph-client/money.
          DecimalText: 'string',
          // Strings as the API sent them.
          DateTime: 'string',
          URL: 'string',
          // Any JSON: check the type before use.
          JSON: 'unknown',
          ID: 'string', // also as input: a number would be accepted, but no id is one
        },
        enumsAsTypes: true, // unions of strings
        useTypeImports: true,
        importExtension: '.js',
      },
    },
  },
};

export default config;
