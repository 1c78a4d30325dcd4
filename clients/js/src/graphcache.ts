// The keys and lists of Graphcache, urql's normalized cache.

import type { CacheExchangeOpts, KeyingConfig } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { parts } from './schema.js';

/** The keys: records are kept by type and id, and the types without `id` are parts of the record that has them. */
export const keys: KeyingConfig =
  /* @__PURE__ */ Object.fromEntries(/* @__PURE__ */ parts.map((type) => [type, () => null]));

/**
 * Options for `cacheExchange` of Graphcache: `keys`, and resolvers with which the pages of `first` and `after` become
 * one list for each filter. Pages by number stay separate.
 */
export const cacheOptions = (): CacheExchangeOpts => ({
  keys,
  resolvers: { Query: { deposits: relayPagination(), withdrawals: relayPagination() } },
});
