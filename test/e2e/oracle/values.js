// Values of the schema's input types, valid and invalid ones. The lists are short, so that the same call is repeated: its
// response is stored (services.js). A value is a tree that can be written as a GraphQL literal and as JSON.

import { getNullableType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';

import { codeText, keyText } from './texts.js';

/** A value with the same notation in both languages, such as 5 or "a". */
export const plain = (text) => ({ kind: 'plain', text });
/** An enum value: a name in GraphQL, a string in JSON. */
export const name = (text) => ({ kind: 'name', text });
export const list = (values) => ({ kind: 'list', values });
export const object = (fields) => ({ kind: 'object', fields });
export const variable = (text) => ({ kind: 'variable', text });

export function literal(value) {
  switch (value.kind) {
    case 'list':
      return `[${value.values.map(literal).join(', ')}]`;
    case 'object':
      return `{${value.fields.map(([field, member]) => `${field}: ${literal(member)}`).join(', ')}}`;
    case 'variable':
      return `$${value.text}`;
    default:
      return value.text;
  }
}

export function json(value) {
  switch (value.kind) {
    case 'list':
      return `[${value.values.map(json).join(',')}]`;
    case 'object':
      return `{${value.fields.map(([field, member]) => `${JSON.stringify(field)}:${json(member)}`).join(',')}}`;
    case 'name':
      return JSON.stringify(value.text);
    default:
      return value.text;
  }
}

const text = (value) => plain(JSON.stringify(value));

// Values that no scalar, or not every scalar, accepts.
const wrong = [
  '"5"', '5', '5.0', '1.5', '1e3', '0', '-1', '-0', 'true', 'null', '""', '"x"', '2147483647', '2147483648', '-2147483649',
  '9007199254740993',
  '9223372036854775807', '9223372036854775808', '123456789012345678901234567890', '1E400', '"\\ud800"', '"\\ud83d\\ude00"',
  '"\\udc00\\ud800"', '"é\\n\\u0000"',
].map(plain);
const shapes = [
  list([]), object([]), object([['a', plain('1')]]), list([plain('1')]), list([list([])]), name('FOO'), list([plain('null')]),
];

// Texts that are different each time: they lead to no calls.
const written = {
  'text of pixKey': keyText,
  'text of pixCode': (random) => random.of([codeText, codeText, codeText, keyText])(random),
};

export class Values {
  #random;
  #pools;
  #faults;

  /** @param {{ transactions: string[], withdrawals: string[], notifications: string[], cursors: string[], days: string[] }} known */
  constructor(random, known, faults) {
    this.#random = random;
    this.#faults = faults;
    const absent = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeee1';
    const ids = (...lists) => [...lists.flat(), absent, known.transactions[0].toUpperCase(), 'x'].map(text);
    this.#pools = {
      Int: ['1', '2', '3', '5'].map(plain),
      String: [...known.cursors, 'not a cursor', ''].map(text),
      Boolean: ['true', 'false'].map(plain),
      Float: ['1.5', '2'].map(plain),
      Cents: ['1', '10', '5000', '100000', '10000000', '10000001', '"5000"'].map(plain),
      DateTime: ['2026-06-01T00:00:00Z', '2026-06-30T10:51:22.389Z', '2026-06-29T12:00:00-03:00'].map(text),
      transaction: ids(known.transactions),
      withdrawal: ids(known.withdrawals),
      notification: [...ids(known.notifications), ...known.notifications.slice(0, 3).map((id) => text(id.toUpperCase()))],
      pixKey: ['maria@example.com', 'x'].map(text),
      timeZone: ['America/Sao_Paulo', 'UTC', 'Pacific/Kiritimati', 'America/New_York', 'Nowhere'].map(text),
      Day: [...known.days, '2026-02-30', '30/06/2026'].map(text),
      code: ['PED-2026-742692', 'short', 'é'.repeat(8)].map(text),
    };
  }

  /**
   * A value for a type.
   *
   * @param {import('graphql').GraphQLInputType} type
   * @param {string} use the field of the argument, or the name of the input field
   */
  of(type, use) {
    const random = this.#random;
    if (this.#faults.here(12)) return this.wrong();
    if (isNonNullType(type)) type = getNullableType(type);
    else if (random.percent(8)) return plain('null');
    if (isListType(type)) {
      if (random.percent(15)) return this.of(type.ofType, use); // a single value is coerced to a list
      return list(Array.from({ length: 1 + random.below(3) }, () => this.of(type.ofType, use)));
    }
    if (isEnumType(type)) return name(random.of(type.getValues()).name);
    if (isInputObjectType(type)) return this.#object(type);
    if (use in written) return text(written[use](random));
    if (type.name === '_Any') return this.#representation();
    return random.of(this.#pool(type.name, use));
  }

  /** A representation of an entity, with the id of a record of its type. */
  #representation() {
    const random = this.#random;
    const type = random.of(['Transaction', 'Withdrawal', 'Notification']);
    const members = [['__typename', text(type)], ['id', random.of(this.#pools[type.toLowerCase()])]];
    if (this.#faults.here(12)) members[random.below(2)][1] = this.wrong();
    if (this.#faults.here(12)) members.splice(random.below(2), 1);
    if (random.percent(10)) members.push(['status', this.wrong()]);
    return object(members);
  }

  /** A value that few types accept. */
  wrong() {
    return this.#random.of(this.#random.percent(60) ? wrong : shapes);
  }

  #pool(typeName, use) {
    if (typeName === 'ID') return this.#pools[use.replace(/s$/, '')] ?? this.#pools.withdrawal;
    if (use === 'pixKey') return this.#pools.pixKey;
    if (/^(endToEnd|externalCode)/.test(use)) return this.#pools.code;
    if (use === 'timeZone' || /^(from|to)Day$/.test(use)) return this.#pools[use.replace(/^(from|to)/, '')];
    return this.#pools[typeName] ?? wrong;
  }

  #object(type) {
    const random = this.#random;
    const fields = Object.values(type.getFields());
    const chosen = fields.filter((field) => isNonNullType(field.type) || random.percent(100 / fields.length + 8));
    const members = chosen.map((field) => [field.name, this.of(field.type, field.name)]);
    if (this.#faults.here(12)) {
      members.push(random.of([
        ['__typename', text(type.name)], ['unknown', plain('1')], ['Status', plain('null')],
        [fields[0].name, this.of(fields[0].type, fields[0].name)],
      ]));
    }
    return object(members);
  }
}
