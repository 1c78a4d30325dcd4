// The fields of a subgraph (Apollo Federation 2): records by their representations, and the schema.

import { GraphQLID, Kind } from 'graphql';

import { allow } from './failures.js';
import { captured } from './records.js';

/**
 * The resolvers of Query._entities and Query._service.
 *
 * @param {Record<string, (id: string) => any>} lookups by the name of a type, how its records are read by id
 * @param {string} sdl the text of the schema
 */
export function entityFields(lookups, sdl) {
  return {
    Query: {
      _service: () => new Map([['sdl', sdl]]),
      _entities: (_, { representations }) => representations.map((one) => captured(() => entity(one, lookups))),
    },
  };
}

// The type of a record that was read by a representation.
const types = new WeakMap();

/** The type of an element of _entities, for graphql-js. */
export const typeOfEntity = (record) => types.get(record);

function entity(representation, lookups) {
  const { __typename: type, id } = representation !== null && typeof representation === 'object' ? representation : {};
  allow(typeof type === 'string' && Object.hasOwn(lookups, type));
  const noted = (record) => {
    types.set(record, type);
    return record;
  };
  const found = lookups[type](allow(idOf(id)));
  return found instanceof Promise ? found.then(noted) : noted(found);
}

function idOf(value) {
  try {
    return GraphQLID.parseValue(typeof value === 'bigint' ? String(value) : value);
  } catch {
    return undefined;
  }
}

/** A representation in a document. Integers keep their digits. */
export function anyLiteral(node, variables) {
  switch (node.kind) {
    case Kind.NULL:
      return null;
    case Kind.INT:
      return BigInt(node.value);
    case Kind.FLOAT:
      return [node.value]; // no id
    case Kind.LIST:
      return node.values.map((value) => anyLiteral(value, variables));
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, anyLiteral(value, variables)]));
    case Kind.VARIABLE:
      return variables?.[node.name.value];
    default:
      return node.value;
  }
}
