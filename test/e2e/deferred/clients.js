// Clients of responses in parts, for Node and for a page: each calls `show` with the data of each part.

import { ApolloClient, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { Defer20220824Handler, GraphQL17Alpha9Handler } from '@apollo/client/incremental';
import { Client, cacheExchange, fetchExchange, gql as document } from '@urql/core';

export const payment = `query Payment($id: ID!) {
  transaction(id: $id) { id amount ...Webhooks @defer(label: "webhooks") }
}
fragment Webhooks on Transaction { notifications { nodes { id url } } }`;

const headersOf = (token) => ({ authorization: `Bearer ${token}` });

/** Apollo Client with one of its handlers. */
const apollo = (incrementalHandler) => async (url, token, id, show) => {
  const client = new ApolloClient({
    link: new HttpLink({ uri: url, headers: headersOf(token) }), cache: new InMemoryCache(), incrementalHandler,
  });
  await new Promise((resolve, reject) => {
    client.watchQuery({ query: gql(payment), variables: { id } }).subscribe({
      next: ({ data, dataState, error }) => {
        if (error) reject(error);
        if (dataState === 'streaming' || dataState === 'complete') show(data);
        if (dataState === 'complete') resolve();
      },
      error: reject,
    });
  });
};

async function urql(url, token, id, show) {
  const headers = { ...headersOf(token), accept: 'multipart/mixed;incrementalSpec=v0.2, application/json' };
  const client = new Client({ url, exchanges: [cacheExchange, fetchExchange], fetchOptions: { headers }, preferGetMethod: false });
  await new Promise((resolve, reject) => {
    client.query(document(payment), { id }).subscribe(({ data, error, hasNext }) => {
      if (error) reject(error);
      if (data) show(data);
      if (data && !hasNext) resolve();
    });
  });
}

/** A reader without a library, which joins parts by the rules of docs/defer.md. */
const raw = (accept) => async (url, token, id, show) => {
  const response = await fetch(url, {
    method: 'POST', body: JSON.stringify({ query: payment, variables: { id } }),
    headers: { ...headersOf(token), 'content-type': 'application/json', accept: `${accept}, application/json` },
  });
  const boundary = `--${/boundary="(\w+)"/.exec(response.headers.get('content-type'))[1]}`;
  const fragments = new Map();
  let data;
  let text = '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    text += decoder.decode(value, { stream: true });
    for (let end = text.indexOf(boundary); end >= 0; end = text.indexOf(boundary)) {
      const part = text.slice(0, end).split('\r\n\r\n')[1];
      text = text.slice(end + boundary.length);
      if (!part) continue; // before the first boundary
      const { data: first, pending = [], incremental = [] } = JSON.parse(part);
      data ??= first;
      for (const { id, path } of pending) fragments.set(id, path);
      for (const { id, path, subPath = [], data: more } of incremental) {
        const at = id === undefined ? path : [...fragments.get(id), ...subPath];
        Object.assign(at.reduce((object, key) => object[key], data), more);
      }
      show(structuredClone(data));
    }
  }
};

/** The clients by their names. */
export const clients = {
  'Apollo Client, version 0.1': apollo(new Defer20220824Handler()),
  'Apollo Client, version 0.2': apollo(new GraphQL17Alpha9Handler()),
  urql,
  'fetch, version 0.1': raw('multipart/mixed;deferSpec=20220824'),
  'fetch, version 0.2': raw('multipart/mixed;incrementalSpec=v0.2'),
};
