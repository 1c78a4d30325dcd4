// Documents that select every field of the records that are known, so that each broken member of each of them is compared, and
// every field of lists at each place that is known.

import { getNamedType, isLeafType } from 'graphql';

const together = 4; // records of a document: an answer holds few errors

/** The requests, with a name. */
export function everything(schema, known) {
  const of = (name, links) => selectionOf(schema.getType(name), links);
  const notification = of('Notification', {});
  const transaction = of('Transaction', { notifications: `{ links { notificationId source state } nodes ${notification} }` });
  const withdrawal = of('Withdrawal', {});
  const about = of('Notification', { transaction: '{ id statusRaw }', withdrawal: '{ id statusRaw }' });
  const chunks = (list) => Array.from({ length: Math.ceil(list.length / together) }, (_, i) => list.slice(i * together, (i + 1) * together));
  const quoted = (list) => list.map((id) => `"${id}"`).join(', ');
  const named = (name, texts) => texts.map((query, i) => ({ name: `every field of ${name} ${i}`, query }));
  return [
    ...named('transactions', chunks(known.transactions).map((ids) => `{ transactions(ids: [${quoted(ids)}]) ${transaction} }`)),
    ...named('notifications', chunks(known.notifications).map((ids) => `{ notifications(ids: [${quoted(ids)}]) ${about} }`)),
    ...named('withdrawals', known.withdrawals.map((id) => `{ withdrawal(id: "${id}") ${withdrawal} }`)),
    ...paging(known.cursors),
    ...named('deposits', Array.from({ length: 8 }, (_, i) => `{ deposits(page: ${i + 1}) { edges { node ${of('Deposit', {})} } } }`)),
  ];
}

/** Lists after each known cursor, and without one. Most cursors are of another list or filter. */
function paging(cursors) {
  const fields = `nodes { __typename } edges { cursor node { __typename } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount totalPages currentPage perPage`;
  const filters = ['', 'filter: {status: [PAID]}, ', 'filter: {minAmount: 10}, '];
  const places = [
    ...cursors.flatMap((cursor) => filters.map((filter) => `${filter}after: "${cursor}"`)),
    'page: 1', 'page: 2', 'page: 100000', 'filter: {maxAmount: 10}',
  ];
  return places.flatMap((place) => ['deposits', 'withdrawals'].flatMap((list) => [1, 2, 3, 7].map((size) => ({
    name: `${list} by ${size}, ${place}`,
    query: `{ ${list}(${/page/.test(place) ? 'perPage' : 'first'}: ${size}, ${place}) { ${fields} } }`,
  }))));
}

/** Every field of a type, without those that make calls but for the given ones, which have a selection. */
function selectionOf(type, links) {
  const fields = Object.values(type.getFields()).flatMap(({ name, type: of, args, astNode }) => {
    if (links[name]) return `${name} ${links[name]}`;
    if (args.length > 0 || astNode.directives.some((one) => one.name.value === 'upstreamCalls')) return [];
    return isLeafType(getNamedType(of)) ? name : `${name} ${selectionOf(getNamedType(of), links)}`;
  });
  return `{ ${fields.join(' ')} }`;
}
