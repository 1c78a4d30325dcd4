// Apollo Client with documents that are registered in the gateway: it sends their hashes, never their text.

import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';

/** The link before the HTTP link. graphql-codegen has written the hash into each document. */
export const persistedDocuments = () => new PersistedQueryLink({
  generateHash: (document) => document.__meta__.hash,
  retry: () => false,
  disable: () => false,
});
