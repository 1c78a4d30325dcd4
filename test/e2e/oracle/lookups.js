// What the fields that make calls have in common: several lookups at the same time, with or without promises.

import { captured } from './records.js';

export function ensure(value) {
  if (!value) throw new Error('invalid');
  return value;
}

export const same = (sent, id) => typeof sent === 'string' && sent.toLowerCase() === id.toLowerCase();

/** The result of a function for a value, or for the value of a promise. */
export function then(value, make) {
  return value instanceof Promise ? value.then(make) : make(value);
}

/** The values of several lookups, each with its own error. */
export function inOrder(lookups) {
  const started = lookups.map((lookup) => captured(lookup));
  const settled = started.map((value) => (value instanceof Promise ? value.catch((error) => error) : value));
  return settled.some((value) => value instanceof Promise) ? Promise.all(settled) : settled;
}
