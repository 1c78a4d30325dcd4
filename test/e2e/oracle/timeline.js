// The timeline of a transaction, a deposit or a withdrawal, by the descriptions of TimelineEntry and TimelineSource.

import { Num } from './json.js';
import { millisecondsBetween, moments, numberOf, present, textOf } from './moments.js';
import { longestList } from './records.js';

// In the order of TimelineSource, which decides between entries of the same time. The history comes after the creation.
const dated = [
  ['CREATED_AT', (record) => record.get('createdAt')],
  ['STATUS_HISTORY'],
  ['PAYMENT_DATE', (record) => record.get('paymentDate')],
  ['PROCESSED_DATE', (record) => record.get('processedDate')],
  ['INFRACTION_DATE', (record) => record.get('infractionDate')],
  ['REFUND_DATE', (record) => record.get('refundDate')],
  ['UPDATED_AT', (record) => record.get('updatedAt')],
  ['PIX_EXPIRATION', (record) => member(record.get('pixResponse'), 'expirationDate')],
];

const member = (value, name) => (value instanceof Map ? value.get(name) : undefined);

/** The entries of a record. Throws if `statusHistory` is not a list. */
export function timeline(record) {
  const history = record.get('statusHistory');
  if (!Array.isArray(history) || history.length > longestList) throw new Error('no history');
  const facts = dated.flatMap(([source, of]) => {
    if (!of) return history.map((entry, index) => ({ source, index, entry, date: member(entry, 'date') }));
    const date = of(record);
    return date === undefined || date === null ? [] : [{ source, date }];
  });
  moments(facts.map(({ date }) => date)).forEach((moment, i) => Object.assign(facts[i], moment));
  const known = facts.filter(({ at }) => at !== undefined).sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const unknown = facts.filter(({ at }) => at === undefined);
  return [...known, ...unknown].map(({ source, index, entry, text, at }, i) => present({
    source,
    at: text,
    index: index === undefined ? null : new Num(String(index)),
    status: textOf(member(entry, 'status')),
    durationInMilliseconds: numberOf(member(entry, 'durationInMilliseconds')),
    sincePreviousInMilliseconds: i > 0 && at !== undefined ? millisecondsBetween(known[i - 1].at, at) : null,
  }));
}
