// Compares two outcomes of a document: whether the request is refused, the data, and the nulls that have errors.

import { GraphQLError } from 'graphql';

import { codeOf } from './failures.js';
import { Num, write } from './json.js';
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
export function dataDifference(want, got, cursors, path) {
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
  const show = (value) => (typeof value === 'object' ? write(value) : JSON.stringify(value))?.slice(0, 200);
  return `at ${path}: ${show(want)}, but in the gateway's response ${show(got)}`;
}

/**
 * The gateway has one error for each null, graphql-js may have several, and some within a null. So what is compared is which
 * nulls have errors, and whether the gateway's error is the one of graphql-js that makes the null, which is the last: its path,
 * which leads to the null or into it, its code, and its location. Where the gateway says that an answer has more errors than it may hold, those are the first
 * nulls in the order of the data.
 */
function nullDifference(reference, gateway) {
  const known = new Map(); // the errors of the reference by the null that they lead into
  for (const error of reference.errors) {
    const at = nullOf(error.path, reference.data);
    known.set(at, [...(known.get(at) ?? []), error]);
  }
  let want = new Set(known.keys());
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
  const source = reference.document.loc.source.body;
  return firstOf(errors.map((error, i) => () => errorDifference(known.get(nullOf(paths[i], reference.data)), error, paths[i], source)));
}

const astral = /[\u{10000}-\u{10ffff}]/u;

/** The difference between the gateway's error for a null and those of the reference. */
function errorDifference(errors, error, path, source) {
  const same = errors.slice(-1).filter((one) => one.path.join() === path.join());
  if (same.length === 0) return `the error for a null is at ${path}, but in the reference at ${errors.map((one) => one.path).join(' ')}`;
  const code = error.get('extensions')?.get('code');
  if (same.every((one) => codeOf(one) !== code)) return `the code of the error at ${path}: ${codeOf(same[0])}, but in the gateway's response ${code}`;
  // graphql-js shows the argument instead of the field in its own errors, and counts a character beyond 16 bits as two.
  if (same.some(({ originalError }) => !originalError || originalError instanceof GraphQLError) || astral.test(source)) return undefined;
  const show = ([line, column]) => `${line}:${column}`;
  const given = (error.get('locations') ?? []).map((one) => show([one.get('line').text, one.get('column').text]));
  const possible = same.flatMap(({ locations = [] }) => locations.map(({ line, column }) => show([line, column])));
  if (given.some((one) => !possible.includes(one))) {
    return `the location of the error at ${path}: ${possible}, but in the gateway's response ${given}`;
  }
  return undefined;
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
