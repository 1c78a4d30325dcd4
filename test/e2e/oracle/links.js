// The links between records: from a transaction to its notifications, and from a notification to its transaction or withdrawal
// (docs/upstream-api.md, section 4).

import { allow, Failure, NotFound } from './failures.js';
import { ensure, inOrder, same, then } from './lookups.js';
import { captured, json } from './records.js';

/** An id that is valid in a URL: printable, without spaces, at most 255 bytes, and not a dot segment. */
export function validNotificationID(id) {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+$/u.test(id) && Buffer.byteLength(id) <= 255 && id !== '.' && id !== '..';
}

/**
 * Transaction.notifications: the ids of the argument and of the metadata, without duplicates, and the state of each. What
 * cannot be read is a node that is an error, such as a list of more than 1,000 ids; if nothing can be read, the field is one.
 */
export function links(notification) {
  return (transaction, { ids }) => {
    allow(!ids || (ids.length <= 50 && ids.every(validNotificationID)));
    const id = transaction.get('id');
    const metadata = transaction.get('metadata');
    const place = metadata instanceof Map ? metadata.get('notificationIds') : undefined;
    const isReadable = readable(metadata ?? null) && !(Array.isArray(place) && place.length > 1000);
    const found = isReadable ? [place].flat().filter((hint) => typeof hint === 'string' && hint.isWellFormed()) : [];
    const sources = new Map();
    for (const hint of ids ?? []) if (!sources.has(hint)) sources.set(hint, 'ARGUMENT');
    for (const hint of found) if (!sources.has(hint)) sources.set(hint, 'METADATA');
    const hints = [...sources].slice(0, 50);
    return then(inOrder(hints.map(([hint]) => () => notification(hint))), (records) => {
      const list = hints.map(([notificationId, source], i) => linkOf(notificationId, source, records[i], id));
      const nodes = list.flatMap(({ notification: found, error }, at) => {
        // The dispatcher may find a record by ids that differ in case. It is one node.
        const again = found && list.slice(0, at).some(({ notification: other }) => other && sameText(other.get('id'), found.get('id')));
        return found && !again ? found : error ?? [];
      });
      if (!isReadable) nodes.push(new Failure('UPSTREAM_INVALID_RESPONSE'));
      if (sources.size > 50) nodes.push(new Failure('LIMIT_EXCEEDED'));
      // The gateway prefers an error that a retry may resolve. No record of the oracle has one.
      const errors = nodes.filter((node) => node instanceof Error);
      if (errors.length > 0 && list.every(({ error }) => error)) throw errors[0];
      return { nodes, links: list };
    });
  };
}

/** Whether free-form JSON is valid. */
function readable(value) {
  return !(captured(() => json(value)) instanceof Error);
}

const sameText = (one, other) => typeof one === 'string' && one.isWellFormed() && one === other;

function linkOf(notificationId, source, record, id) {
  const link = { notificationId, source, state: 'NOT_FOUND', notification: null };
  if (/^(NOT_FOUND|BAD_USER_INPUT)$/.test(record.code)) return link; // no notification has an id that is invalid
  if (record.code === 'FORBIDDEN') return { ...link, state: 'FORBIDDEN', error: record };
  const reference = record instanceof Map ? record.get('referenceId') : undefined;
  if (typeof reference !== 'string' || !reference.isWellFormed()) {
    return { ...link, state: 'UNAVAILABLE', error: record instanceof Error ? record : new Failure('UPSTREAM_INVALID_RESPONSE') };
  }
  return same(reference, id) ? { ...link, state: 'VERIFIED', notification: record } : { ...link, state: 'MISMATCH' };
}

/** The record that a notification refers to: null, without an error, if the record does not exist. */
export function follow(lookup, pattern) {
  return (notification) => {
    const reference = notification.get('referenceId');
    ensure(typeof reference === 'string' && reference.isWellFormed());
    if (!pattern.test(reference)) return null;
    const none = (error) => {
      if (error instanceof NotFound) return null;
      throw error;
    };
    try {
      const found = lookup(reference);
      return found instanceof Promise ? found.catch(none) : found;
    } catch (error) {
      return none(error);
    }
  };
}
