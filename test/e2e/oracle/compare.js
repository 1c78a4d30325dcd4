// Compares two outcomes of a document: whether the request is refused, the data, and the nulls that have errors.

import { Num } from './json.js';
import { agrees, isSentence } from './sentences.js';

/**
 * The difference as a text; undefined if the responses are equal.
 *
 * @param {object} reference from Reference.answer
 * @param {object} gateway from Client.send
 * @param {import('./cursors.js').Cursors} cursors
 */
export function difference(reference, gateway, cursors) {
  const codes = codesOf(gateway);
  if (gateway.status >= 500 || codes.includes('INTERNAL')) return `the gateway failed: ${gateway.status} ${codes}`;
  if (reference.refused && gateway.data) {
    return `only the reference refuses: ${reference.refused.map(({ message }) => message).join('; ')}`;
  }
  if (reference.refused) return undefined;
  if (!gateway.data) return `only the gateway refuses: ${codes} ${gateway.errors.map((error) => error.get('message')).join('; ')}`;
  return dataDifference(reference.data, gateway.data, cursors, '') ?? nullDifference(reference, gateway);
}

/** The codes of a response's errors. */
export function codesOf({ errors }) {
  return errors.map((error) => error.get('extensions')?.get('code'));
}

/** The first difference of the data. Objects must have the same members in the same order. */
function dataDifference(want, got, cursors, path) {
  if (want instanceof Num) return got instanceof Num && got.text === want.text ? undefined : unlike(want, got, path);
  if (typeof want === 'number') return got instanceof Num && got.text === String(want) ? undefined : unlike(want, got, path);
  if (typeof want === 'string' && cursors.is(want)) return cursors.agree(want, got) ? undefined : unlike(want, got, path);
  if (typeof want === 'string' && isSentence(want)) return agrees(want, got) ? undefined : unlike(want, got, path);
  if (want === null || typeof want !== 'object') return want === got ? undefined : unlike(want, got, path);
  if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length) return unlike(want, got, path);
    return firstOf(want.map((element, i) => () => dataDifference(element, got[i], cursors, `${path}.${i}`)));
  }
  if (!(got instanceof Map)) return unlike(want, got, path);
  const members = want instanceof Map ? [...want] : Object.entries(want);
  const names = members.map(([name]) => name);
  if (names.join() !== [...got.keys()].join()) return `at ${path}: members ${names}, but in the gateway's response ${[...got.keys()]}`;
  return firstOf(members.map(([name, member]) => () => dataDifference(member, got.get(name), cursors, `${path}.${name}`)));
}

function firstOf(checks) {
  for (const check of checks) {
    const found = check();
    if (found) return found;
  }
}

function unlike(want, got, path) {
  const show = (value) => (value instanceof Num ? value.text : JSON.stringify(value))?.slice(0, 200);
  return `at ${path}: ${show(want)}, but in the gateway's response ${show(got)}`;
}

/**
 * The gateway has one error for each null, graphql-js may have several, and some within a null. So what is compared is
 * which nulls have errors. Where the gateway says that an answer has more errors than it may hold, those are the first nulls
 * in the order of the data.
 */
function nullDifference(reference, gateway) {
  let want = new Set(reference.errors.map(({ path }) => nullOf(path, reference.data)));
  const errors = gateway.errors.filter((error) => error.get('extensions')?.get('limit') !== 'errors');
  if (errors.length < gateway.errors.length) {
    if (want.size <= errors.length) return `${errors.length} errors and the notice of more, but there are ${want.size}`;
    want = new Set(nullsOf(reference.data).filter((path) => want.has(path)).slice(0, errors.length));
  }
  const paths = errors.map((error) => error.get('path')?.map((step) => (step instanceof Num ? Number(step.text) : step)));
  const got = new Set(paths.map((path) => nullOf(path, reference.data)));
  const missing = [...want].filter((path) => !got.has(path));
  const extra = [...got].filter((path) => !want.has(path));
  if (missing.length > 0) return `no error for the null at ${missing}`;
  if (extra.length > 0) return `only the gateway has an error, at ${extra}: ${codesOf(gateway)}`;
  if (paths.length > got.size) return `more than one error for a null: ${paths.join(' ')}`;
}

/** The paths of all nulls, in the order of the data. */
function nullsOf(value, path = []) {
  if (value === null) return [path.join('.')];
  if (typeof value !== 'object' || value instanceof Num || value instanceof Map) return [];
  return Object.entries(value).flatMap(([name, member]) => nullsOf(member, [...path, name]));
}

/** The null that an error's path leads into. */
function nullOf(path, data) {
  if (!path) return 'no path';
  const steps = [];
  let value = data;
  for (const step of path) {
    if (value === null || value === undefined) break;
    value = value[step];
    steps.push(step);
  }
  return value === null ? steps.join('.') : `${path.join('.')} (not null)`;
}
