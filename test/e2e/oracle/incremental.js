// The response in parts by graphql-js 17, which knows @defer, over the same records as the reference: also for errors that make
// an object null, whose data the whole response does not have.

import { buildSchema, experimentalExecuteIncrementally } from 'graphql17';

import { Num } from './json.js';

/** The schema of graphql-js 17 for values that are valid already. */
export function plainSchema(sdl) {
  const schema = buildSchema(sdl);
  schema.getType('Int').coerceOutputValue = (value) => value; // of this version of graphql-js only: the text of a number is no Int
  return schema;
}

/** The schema with the resolvers and scalars of the reference. */
export function incrementalSchema(sdl, reference) {
  const schema = plainSchema(sdl);
  for (const type of Object.values(schema.getTypeMap())) {
    const known = reference.getType(type.name);
    if (type.name.startsWith('__') || !known) continue;
    if (known.resolveType) type.resolveType = known.resolveType;
    if (known.parseLiteral && !/^(Int|Float|String|Boolean)$/.test(type.name)) {
      const literal = { parseLiteral: known.parseLiteral, coerceInputLiteral: known.parseLiteral };
      Object.assign(type, { coerceOutputValue: (value) => value, coerceInputValue: known.parseValue, parseValue: known.parseValue, ...literal });
    }
    for (const [name, field] of Object.entries(known.getFields?.() ?? {})) {
      if (field.resolve) type.getFields()[name].resolve = field.resolve;
    }
  }
  return schema;
}

/** An invariant of graphql-js that does not hold: it has no response to compare with. */
export const isBroken = (error) => /^Unexpected invariant/.test(error.message);

/** All parts of the response to a document; undefined if it comes as a whole. */
export async function partsOfReference(schema, document, variableValues) {
  const result = await experimentalExecuteIncrementally({ schema, document, variableValues, contextValue: new Map() });
  if (!result.initialResult) return undefined;
  const parts = [result.initialResult];
  for await (const part of result.subsequentResults) parts.push(part);
  return parts.map(plainOf);
}

/** A part as plain JSON. Numbers of the data are the texts of their digits, so that none is rounded. */
export function plainOf(value) {
  if (value instanceof Num) return `number ${value.text}`;
  if (typeof value === 'number' || typeof value === 'bigint') return `number ${value}`;
  if (Array.isArray(value)) return value.map(plainOf);
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Error) return plainOf({ path: value.path });
  const members = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(members.map(([name, member]) => [name, /^(path|subPath)$/.test(name) ? member.map(stepOf) : plainOf(member)]));
}

const stepOf = (step) => (step instanceof Num ? Number(step.text) : step);
