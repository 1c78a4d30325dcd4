// graphql-codegen for a client that throws or catches the errors of fields, such as Relay or Apollo Client with
// errorPolicy 'none': what is null only with an error is not nullable.

import type { CodegenConfig } from '@graphql-codegen/cli';

const { GATEWAY = 'http://localhost:8080' } = process.env;

const config: CodegenConfig = {
  schema: `${GATEWAY}/schema.graphql`, // introspection has no @semanticNonNull
  documents: 'semantic/*.graphql',
  generates: {
    'out/semantic/': {
      preset: 'client',
      config: {
        nullability: { errorHandlingClient: true },
        scalars: { Cents: 'number', Decimal: 'number', DecimalText: 'string', DateTime: 'string', URL: 'string', JSON: 'unknown' },
      },
    },
  },
};

export default config;
