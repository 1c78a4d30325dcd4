// The fields of a record: the API's value, checked against the field's type (docs/upstream-api.md, section 2). A value of
// the wrong type is an error of its field, and so is a missing value of a non-null field.

import { getNamedType, isEnumType, isListType, isNonNullType, isObjectType } from 'graphql';

import { integer, Num } from './json.js';

/** The number of elements above which the gateway does not read a list of a record (docs/limits.md). */
export const longestList = 1000;

/** The resolver of a field that is a member of its record. */
export function reader(field, parent) {
  const required = isNonNullType(field.type);
  const name = memberOf(field.name, parent);
  const check = checker(required ? field.type.ofType : field.type);
  return (record) => {
    const value = record.get(name);
    if (value === undefined || value === null) {
      if (required) throw new Error(`${name} is missing`);
      return null;
    }
    return check(value);
  };
}

/** The API's name of a field: `statusRaw` is the text of `status`. */
function memberOf(field, parent) {
  const plain = field.replace(/Raw$/, '');
  return plain !== field && parent.getFields()[plain] ? plain : field;
}

/** The function that reads a non-null value of a type. */
function checker(type) {
  if (isListType(type)) {
    const element = checker(isNonNullType(type.ofType) ? type.ofType.ofType : type.ofType);
    return (value) => {
      if (!Array.isArray(value) || value.length > longestList) throw new Error('not a list');
      return value.map((part) => captured(() => element(part)));
    };
  }
  const named = getNamedType(type);
  if (isEnumType(named)) {
    const known = named.getValues().map(({ name }) => name).filter((name) => name !== 'UNKNOWN');
    return (value) => (known.includes(text(value)) ? value : 'UNKNOWN');
  }
  if (named.name === 'Document') return (value) => (typeof value === 'string' ? new Map([['value', text(value)]]) : object(value));
  if (named.name === 'Contact') return contact;
  if (isObjectType(named)) return object;
  return scalars[named.name];
}

/** The value, or the error in its place. */
export function captured(read) {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

const scalars = {
  String: text,
  ID: text,
  DecimalText: text,
  DateTime: text,
  URL: text,
  JSON: json,
  Boolean: (value) => ensure(value, typeof value === 'boolean'),
  Decimal: (value) => ensure(value, value instanceof Num),
  Cents: (value) => new Num(String(wholeNumber(value))),
  Int(value) {
    const whole = Number(wholeNumber(value));
    return ensure(whole, whole === (whole | 0));
  },
};

function ensure(value, ok) {
  if (!ok) throw new Error('wrong type');
  return value;
}

function text(value) {
  return ensure(value, typeof value === 'string' && value.isWellFormed());
}

export function object(value) {
  return ensure(value, value instanceof Map);
}

function wholeNumber(value) {
  const whole = integer(ensure(value, value instanceof Num).text);
  return ensure(whole, whole !== null);
}

/** Free-form JSON: all texts are valid, and it is not too deep for clients. */
export function json(value, depth = 0) {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) value.forEach((element) => json(element, depth + 1));
  if (value instanceof Map) {
    for (const [name, member] of value) json(text(name) && member, depth + 1);
  }
  return ensure(value, depth < 48);
}

/** A contact is a text or an object; its fields are `value`, if it has such a text, and `raw`, the whole contact. */
function contact(sent) {
  json(ensure(sent, typeof sent === 'string' || sent instanceof Map));
  const value = typeof sent === 'string' ? sent : sent.get('value');
  return new Map([['value', typeof value === 'string' ? value : null], ['raw', sent]]);
}
