// Parts of pixgraph-client in a browser, for demos.test.js: each watches a payment until it is PAID, and notes its statuses in `seen`.

import { withToken } from 'pixgraph-client';
import { awaitTransaction, waitFor } from 'pixgraph-client/wait';
import { newClient } from 'pixgraph-client/ws';

const renew = async () => (await fetch('token')).text();
const seen = globalThis.seen = [];
const variables = (id) => ({ id, until: ['PAID'] });

globalThis.watch = {
  'graphql-ws': (url, id) => new Promise((resolve, reject) => {
    const query = `subscription ($id: ID!, $until: [TransactionStatus!], $since: DateTime) {
      transaction(id: $id, until: $until, since: $since) { status updatedAt }
    }`;
    newClient(url.replace('http', 'ws'), renew).subscribe({ query, variables: variables(id) }, {
      next: ({ data }) => seen.push(data.transaction.status), error: reject, complete: () => resolve(seen),
    });
  }),
  async waitFor(url, id) {
    const onData = (data) => seen.push(data.awaitTransaction.status);
    await waitFor(url, { query: awaitTransaction, variables: variables(id) }, { fetch: withToken(renew), onData });
    return [...new Set(seen)];
  },
};
