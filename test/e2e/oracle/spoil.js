// Makes records invalid, always in the same way for a seed: values that are missing, null or of another kind, lists with wrong
// elements, objects with a member twice, texts with escapes, numbers that are out of range. Read spoiled first.

import { parse, write } from './json.js';
import { writeOddly } from './oddjson.js';
import { Random } from './random.js';
import { scrambleNotification, scramblePayment } from './scramble.js';
import { codeText, idText, keyText } from './texts.js';

// The values that replace others.
const odd = [
  'null', 'null', 'true', '""', '"PAID"', '"NEW_STATUS"', '"UNKNOWN"', '"\\u00e9\\n<\\"\\\\ "', '"\\ud83d\\ude00"', '"\\ud800"', '"\\udc00\\ud800"',
  '[]', '[null]', '[1, "a", {}]', '["a", "b"]', '[[]]', '[{}]', '["\\ud800"]',
  '{}', '{"value": "v"}', '{"value": "\\ud800"}', '{"value": null, "type": 5}', '{"__typename": "x", "__proto__": null}',
  '0', '-0', '-0.0', '5', '1500.0', '1.5e3', '1.5E+3', '12.50', '0.5', '1e-2', '100e-2', '2147483647', '2147483648', '-2147483649', '2147483648e0',
  '9007199254740993', '9223372036854775807', '9223372036854775808', '-9223372036854775808', '-9223372036854775809', '0.9223372036854775807e19',
  '1E400', '1e40', '1e-41', '123456789012345678901234567890', `1${'0'.repeat(90)}`,
  `${'['.repeat(47)}${']'.repeat(47)}`, `${'['.repeat(49)}${']'.repeat(49)}`,
];

const times = [
  '2026-06-01T00:00:00Z', '2026-06-01T00:00:00.000Z', '2026-05-31T21:00:00-03:00', '2026-06-01T00:00:00', '2026-06-01T00:00', '2026-06-01',
  '2026-02-30T00:00:00Z', '2026-06-01T24:00:00Z', '2026-06-01t00:00:00z', '2026-06-01 00:00:00Z', '2026-06-01T00:00:00-0300', 'x', '',
  '2026-06-01T00:00:00.1234567Z', '2026-06-01T00:00:00.123456789123Z', '0101-01-01T00:00:00Z', '9999-12-31T23:59:59.999+14:00', '2026-06-01T00:00:60Z',
];
// No Int; the last one is 200 in 32 bits.
const beyond = ['2147483648', '-2147483649', '4294967496'];
const codes = [
  '0', '100', '199', '200', '204', '299', '301', '304', '399', '400', '404', '499', '500', '503', '599', '600',
  '-200', '200.0', '2e2', 'null', '"200"',
];
const statuses = [
  'PENDING', 'PAID', 'REFUNDED', 'FAILED', 'PROCESSING', 'RECEIVED', 'SENT', 'ERROR', 'UNKNOWN', 'paid', 'PAID ', 'PIX_QRCODE_GENERATED', 'BLOCKED', '',
];
const parties = [
  '"v"', '{"value": "v"}', '{"value": 5}', '{"value": ["v"], "type": "x"}', '{"value": "v", "type": 5}', '{}', '"\\ud800"', '[]', '5', 'true',
];
const lists = ['[]', '[null]', '["a", null, 5, "\\u0062"]', '[{}, null, [], "x"]', '["\\ud800"]', '{"0": "a"}', '"a"'];
const numbers = ['0', '1', '1.0', '1.50', '1e3', '9007199254740993', '9007199254740992', '-1', '1E400', '0.1'];
const texts = (list) => (random) => JSON.stringify(random.of(list));

/** Values that suit a member, by its name. */
const fitting = [
  [/(At|Date|^date)$/, texts(times)],
  [/^statusCode$/, (random) => random.of(random.percent(30) ? beyond : codes)],
  [/^(status|type|paymentMethod|depositOrigin)$/, texts([...statuses, 'PF', 'PJ', 'CPF', 'EVP', 'PIX', 'GATEWAY'])],
  [/^(email|landline|mobilePhone|document)$/, (random) => random.of(parties)],
  [/^(tags|items|executions|statusHistory)$/, (random) => random.of(lists)],
  [/^uri$/, (random) => JSON.stringify(codeText(random))],
  [/^endToEnd/, (random) => JSON.stringify(idText(random))],
  [/^key$/, (random) => JSON.stringify(keyText(random))],
  [/^(responseTime|durationInMilliseconds|feeAmount|quantity)$/, (random) => random.of(numbers)],
];

// Those that the gateway does not repeat.
const failures = [
  { status: 403, body: '{}' }, { status: 404, body: '' }, { status: 422, body: '{"message": "x"}' }, { status: 400, body: '{}' },
  { status: 200, body: 'null' }, { status: 200, body: '[]' }, { status: 200, body: '{' }, { status: 200, body: '' }, { status: 200, body: '{"id": "x"}' },
];

/** How a response is spoiled, in a run. */
export class Spoiler {
  #salt;

  constructor(seed) {
    this.#salt = hash(`seed ${seed}`);
  }

  /** The JSON of a response with some of its records spoiled. */
  spoiled(value, route) {
    const list = value.get('data');
    if (!list) return this.#written(this.#record(value, route === 'request'), value.get('id'));
    const records = list.map((record) => {
      const random = this.#random(record.get('id'), 1);
      if (random.percent(4)) return random.of(['null', '5', '[]', '"x"']); // not a record
      const id = record.get('id');
      return this.#written(this.#record(record, false), id);
    });
    const others = [...value].filter(([name]) => name !== 'data').map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`);
    return `{${[...others, `"data":[${records}]`].join(',')}}`;
  }

  /** The response instead of a record by id; nothing for most. The path is without the API, as ['request', id]. */
  failureOf([route, id]) {
    if (!/^(request|transaction)$/.test(route) || id === undefined) return undefined;
    const random = this.#random(id, 4);
    return random.percent(12) ? random.of(failures) : undefined;
  }

  #random(id, use) {
    return new Random(hash(String(id)) ^ this.#salt, use);
  }

  #record(record, isNotification) {
    const random = this.#random(record.get('id'), 2);
    record.get('pixResponse')?.set?.('qrCodeBase64', 'data:,'); // an image is most of a page, and plain text
    (isNotification ? scrambleNotification : scramblePayment)(record, random);
    while (random.percent(isNotification ? 75 : 60)) {
      // The id is right, so that the record is found. The reference of a notification decides whether others find it.
      const places = placesOf(record, []).filter(({ path }) => path[0] !== 'id' && !(path[0] === 'referenceId' && isNotification && random.percent(80)));
      change(chosen(places, random), random);
    }
    return record;
  }

  #written(record, id) {
    const random = this.#random(id, 3);
    return random.percent(50) ? write(record) : writeOddly(record, random);
  }
}

/** A place: of a list or in one, or else each name of a member is equally likely, however often the record has it. */
function chosen(places, random) {
  const valueOf = ({ parent, key }) => (Array.isArray(parent) ? parent[key] : parent.get(key));
  const inLists = places.filter((place) => Array.isArray(place.parent) || Array.isArray(valueOf(place)));
  if (inLists.length > 0 && random.percent(25)) return random.of(inLists);
  const name = random.of([...new Set(places.map(nameOf))]);
  return random.of(places.filter((place) => nameOf(place) === name));
}

const nameOf = ({ path }) => path.findLast((step) => typeof step === 'string');

/** Changes a place of a record. */
function change({ parent, key, path }, random) {
  if (Array.isArray(parent) && random.percent(25)) {
    parent[key] = null;
    return undefined;
  }
  if (Array.isArray(parent) && random.percent(30)) return changeList(parent, key, random);
  const value = Array.isArray(parent) ? parent[key] : parent.get(key);
  if (Array.isArray(value) && random.percent(60)) return changeList(value, random.below(value.length + 1), random);
  if (!Array.isArray(parent) && random.percent(20)) return void parent.delete(key);
  const [, suits] = fitting.find(([name]) => name.test(nameOf({ path }))) ?? [];
  const replaced = parse(suits && random.percent(60) ? suits(random) : random.of(odd));
  if (Array.isArray(parent)) parent[key] = replaced;
  else parent.set(key, replaced);
  return undefined;
}

/** Removes, repeats, moves or adds an element; rarely the list has more elements than the gateway reads. */
function changeList(list, at, random) {
  switch (random.below(20)) {
    case 0: {
      const element = list[at] ?? null;
      const size = random.of([990, 1001]); // a timeline has up to seven entries more than the history
      while (list.length < size) list.push(element);
      return;
    }
    case 1: case 2: case 3:
      list.splice(at, 1);
      return;
    case 4: case 5: case 6: case 7:
      list.reverse();
      return;
    case 8: case 9: case 10: case 11:
      if (at < list.length) list.push(copyOf(list[at]));
      return;
    default:
      list.splice(at, 0, parse(random.percent(30) ? 'null' : random.of(odd)));
  }
}

const copyOf = (value) => parse(write(value));

/** Every position of a value in a tree, including free-form values. */
function placesOf(value, path) {
  const entries = value instanceof Map ? [...value] : Array.isArray(value) ? [...value.entries()] : [];
  return entries.flatMap(([key, child]) => [{ parent: value, key, path: [...path, key] }, ...placesOf(child, [...path, key])]);
}

function hash(text) {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return h >>> 0;
}
