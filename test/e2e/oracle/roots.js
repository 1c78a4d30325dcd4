// The fields that call the REST APIs: the lists and the records by id (docs/upstream-api.md, section 4, and docs/limits.md for
// the gateway's own limits).

import { entityFields } from './entities.js';
import { allow, failureOf, NotFound } from './failures.js';
import { integer } from './json.js';
import { follow, links, validNotificationID } from './links.js';
import { ensure, inOrder, same, then } from './lookups.js';
import { captured, object } from './records.js';
import { summary } from './sums.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** The resolvers by type and field. */
export function rootsOver(services, cursors, sdl) {
  const get = (path, query = {}) => services.get(path, new URLSearchParams(query));
  const transaction = (id) => {
    allow(uuid.test(id));
    return then(get(`/core/transaction/${id.toLowerCase()}`), (answer) => recordOf(answer, id));
  };
  const withdrawal = (id) => {
    allow(uuidV4.test(id));
    return then(get('/core/withdrawal', { id: id.toLowerCase() }), ({ status, value }) => {
      if (status !== 200) throw failureOf(status);
      const records = value.get('data');
      if (records.length === 0) throw new NotFound();
      return ensure(records.find((record) => record instanceof Map && same(record.get('id'), id)));
    });
  };
  const notification = (id) => {
    allow(validNotificationID(id));
    return then(get(`/dispatcher/request/${encodeURIComponent(id)}`), (answer) => recordOf(answer, id));
  };
  const all = (lookup) => (_, { ids }) => {
    allow(ids.length >= 1 && ids.length <= 50);
    return inOrder(ids.map((id) => () => lookup(id)));
  };
  const one = (lookup) => (_, { id }) => lookup(id);
  const connection = connectionFields(cursors);
  const pagesOf = (route) => (filter) => {
    const query = filterQuery(route, filter);
    return async (number) => {
      const { status, value } = await get(`/core/${route}`, [...query, ['perPage', 100], ...(number > 1 ? [['page', number]] : [])]);
      if (status !== 200) throw failureOf(status);
      return value;
    };
  };
  const { Query: subgraph } = entityFields({ Notification: notification, Transaction: transaction, Withdrawal: withdrawal }, sdl);
  return {
    Query: {
      ...subgraph,
      deposits: list('deposit', get, cursors),
      withdrawals: list('withdrawal', get, cursors),
      depositSummary: summary('amountPaid', pagesOf('deposit')),
      withdrawalSummary: summary('amountWithdrawn', pagesOf('withdrawal')),
      withdrawal: one(withdrawal),
      transaction: one(transaction),
      transactions: all(transaction),
      notification: one(notification),
      notifications: all(notification),
    },
    DepositConnection: connection,
    WithdrawalConnection: connection,
    DepositEdge: edge,
    WithdrawalEdge: edge,
    PageInfo: pageInfo,
    Transaction: { notifications: links(notification) },
    TransactionNotifications: own('nodes', 'links'),
    NotificationLink: own('notificationId', 'source', 'state', 'notification'),
    Notification: {
      transaction: follow(transaction, uuid),
      withdrawal: follow(withdrawal, uuidV4),
    },
  };
}

function recordOf({ status, value }, id) {
  if (status !== 200) throw failureOf(status);
  ensure(value instanceof Map && same(value.get('id'), id));
  return value;
}

function own(...names) {
  return Object.fromEntries(names.map((name) => [name, (parent) => parent[name]]));
}

/** A list field: it checks the arguments, fetches the requested pages, and cuts them to the requested range. */
function list(route, get, cursors) {
  return (_, { filter, page, perPage, first, after }) => {
    const query = filterQuery(route, filter ?? {});
    const filterKey = `${route}?${new URLSearchParams(query)}`;
    const given = (value) => value !== undefined && value !== null;
    allow(!((given(page) || given(perPage)) && (given(first) || given(after))));
    for (const [value, maximum] of [[page, 2 ** 24], [perPage, 100], [first, 100]]) {
      allow(!given(value) || (value >= 1 && value <= maximum));
    }
    const fetch = (number, size) => {
      const paging = [...(given(number) ? [['page', number]] : []), ...(given(size) ? [['perPage', size]] : [])];
      return then(get(`/core/${route}`, [...query, ...paging]), ({ status, value }) => {
        if (status !== 200) throw failureOf(status);
        return value;
      });
    };
    if (!given(after)) {
      return then(fetch(page, perPage ?? first), (value) => connectionOf([value], 0, first ?? Infinity, filterKey));
    }
    const place = allow(cursors.placeOf(after));
    allow(place.filterKey === filterKey);
    const offset = (place.page - 1) * place.size + place.index + 1;
    const size = Math.min(first ?? place.size, 100);
    const number = Math.floor(offset / size) + 1;
    const skip = offset % size;
    return then(fetch(number, size), (head) => {
      const more = skip > 0 && moreBehind(head);
      return then(more ? fetch(number + 1, size) : null, (tail) =>
        connectionOf(tail ? [head, tail] : [head], skip, size, filterKey),
      );
    });
  };
}

const count = (value, name) => Number(integer(value.get(name).text));

const moreBehind = (value) => count(value, 'currentPage') < count(value, 'totalPages');

function connectionOf(pages, skip, limit, filterKey) {
  const records = pages.flatMap((value) =>
    value.get('data').map((record, index) => ({
      record, place: { filterKey, page: count(value, 'currentPage'), index, size: count(value, 'perPage') },
    })),
  ).slice(skip);
  return {
    page: pages[0],
    records: records.slice(0, limit),
    before: count(pages[0], 'currentPage') > 1 || skip > 0,
    more: records.length > limit || moreBehind(pages.at(-1)),
  };
}

/** The fields of a connection. A record that is not an object is an error in its place. */
function connectionFields(cursors) {
  const counted = (name) => ({ page }) => count(page, name);
  return {
    nodes: ({ records }) => records.map(({ record }) => captured(() => object(record))),
    edges: ({ records }) => records.map(({ record, place }) => ({ record, cursor: cursors.stand(place) })),
    pageInfo: ({ records, before, more }) => ({
      hasNextPage: more,
      hasPreviousPage: before,
      startCursor: records.length > 0 ? cursors.stand(records[0].place) : null,
      endCursor: records.length > 0 ? cursors.stand(records.at(-1).place) : null,
    }),
    totalCount: counted('total'),
    totalPages: counted('totalPages'),
    currentPage: counted('currentPage'),
    perPage: counted('perPage'),
  };
}

const edge = { cursor: ({ cursor }) => cursor, node: ({ record }) => object(record) };
const pageInfo = own('hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor');

const amounts = { deposit: 1n, withdrawal: 10n };

/** The parameters of a filter, or an error if it violates the rules of sections 4.1, 4.2 and 8. */
function filterQuery(route, filter) {
  const query = [];
  for (const [name, value] of Object.entries(filter)) {
    if (value === null) continue;
    switch (name) {
      case 'status':
      case 'depositOrigin':
        allow(value.length > 0 && new Set(value).size === value.length && !value.includes('UNKNOWN'));
        query.push(...value.map((one) => [name, one]));
        continue;
      case 'minAmount':
      case 'maxAmount':
        allow(value >= amounts[route] && value <= 10_000_000n);
        break;
      case 'id':
        allow(uuidV4.test(value));
        break;
      case 'pixKey': // the only keys in values.js are e-mail addresses and texts that are not keys
        allow(/^[^@\s]+@[^@\s]+\.[a-z]+$/.test(value));
        break;
      case 'endToEnd':
      case 'endToEndRefund':
      case 'externalCode':
        allow([...value].length >= 8 && [...value].length <= 255);
    }
    query.push([name, value]);
  }
  return query.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
