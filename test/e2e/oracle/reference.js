// The reference: graphql-js over the schema that the gateway serves, with resolvers that read the same responses of the
// two REST APIs. The rules are those of docs/upstream-api.md and of the schema's descriptions; no code of the gateway is
// used. Read Reference.answer first.

import {
  buildSchema, execute, getOperationAST, GraphQLError, GraphQLID, isUnionType, Kind, NoDeprecatedCustomRule, parse, specifiedRules, validate,
} from 'graphql';

import { derived } from './derived.js';
import { anyLiteral, typeOfEntity } from './entities.js';
import { Num } from './json.js';
import { reader } from './records.js';
import { rootsOver } from './roots.js';

/** The responses of graphql-js. */
export class Reference {
  #schema;
  #services;

  constructor(sdl, services, cursors) {
    this.#services = services;
    this.#schema = buildSchema(sdl);
    withScalars(this.#schema);
    const special = rootsOver(services, cursors, sdl);
    for (const type of Object.values(this.#schema.getTypeMap())) {
      if (isUnionType(type)) type.resolveType = typeOfEntity;
      if (type.name.startsWith('__') || !type.getFields || type.astNode?.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
      for (const field of Object.values(type.getFields())) {
        field.resolve = special[type.name]?.[field.name] ?? derived[type.name]?.[field.name] ?? reader(field, type);
      }
    }
  }

  get schema() {
    return this.#schema;
  }

  /**
   * The outcome of a document: the errors if the request is refused, otherwise the data and the errors with their
   * paths.
   *
   * @param {{ query: string, variables: any, operationName?: string }} request variables from `variablesOf`
   * @returns {Promise<{ refused: readonly GraphQLError[] } | { data: object, errors: readonly GraphQLError[] }>}
   */
  async answer({ query, variables, operationName }) {
    let document;
    try {
      document = parse(query);
    } catch (error) {
      if (error instanceof GraphQLError) return { refused: [error], stage: 'parse' };
      throw error;
    }
    const invalid = invalidIn(this.#schema, document);
    if (invalid.length > 0) return { refused: invalid, stage: 'validate', document };
    // For a mutation without a root type graphql-js returns null data, but none is valid here, selected or not. It runs a
    // subscription like a query, but a subscription needs a stream.
    const wrong = document.definitions.some(({ operation }) => operation === 'mutation') ? 'mutation'
      : getOperationAST(document, operationName)?.operation;
    if (wrong && wrong !== 'query') return { refused: [new GraphQLError(`no ${wrong}`)], stage: 'validate', document };
    const { data, errors = [] } = await execute({
      schema: this.#schema, document, variableValues: variables, operationName, contextValue: new Map(),
    });
    if (data === undefined) return { refused: errors, stage: 'variables', document };
    return { data, errors, document };
  }
}

const rules = specifiedRules.filter((rule) => rule !== NoDeprecatedCustomRule);

/** The errors of validation. The rule for the root field of subscriptions throws if the field's condition is a variable. */
function invalidIn(schema, document) {
  try {
    return validate(schema, document, rules, { maxErrors: 5 });
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

/** Sets the input rules of the schema's own scalars. Their output is checked where it is read. */
function withScalars(schema) {
  const scalar = (name, parseValue, parseLiteral) =>
    Object.assign(schema.getType(name), { serialize: (value) => value, parseValue, parseLiteral });
  const refuse = (name) => () => {
    throw new GraphQLError(`${name} is not an input type`);
  };
  for (const name of ['Decimal', 'JSON']) scalar(name, refuse(name), refuse(name));
  scalar('URL', refuse('URL'), refuse('URL'));
  // graphql-js has no integers beyond 2^53. An ID accepts any integer.
  const { parseValue, parseLiteral } = GraphQLID;
  schema.getType('ID').parseValue = (value) => (typeof value === 'bigint' ? String(value) : parseValue(value));
  // graphql-js coerces the literal -0 to the ID "-0", and the same value of a variable to "0".
  schema.getType('ID').parseLiteral = (node) => (node.kind === Kind.INT ? String(BigInt(node.value)) : parseLiteral(node));
  if (schema.getType('_Any')) scalar('_Any', (value) => value, anyLiteral);
  scalar('Cents', centsOf, (node) => centsOf(node.kind === Kind.INT ? BigInt(node.value) : node.kind === Kind.STRING ? node.value : null));
  scalar('DateTime', dateTimeOf, (node) => dateTimeOf(node.kind === Kind.STRING ? node.value : null));
}

function centsOf(value) {
  if (typeof value === 'string' && /^-?[0-9]+$/.test(value)) value = BigInt(value);
  if (typeof value === 'number' && Number.isInteger(value)) value = BigInt(value);
  if (typeof value === 'bigint' && value === BigInt.asIntN(64, value)) return value;
  throw new GraphQLError('Cents must be a whole number of 64 bits');
}

const dateTime = /^\d{4}-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)?$/;

function dateTimeOf(value) {
  if (typeof value === 'string' && dateTime.test(value)) return value;
  throw new GraphQLError('DateTime must be an ISO 8601 date and time');
}

/**
 * Variables for graphql-js from the parsed JSON of a request: integers that a double cannot represent are BigInts,
 * which its Int and Float refuse like any number out of range.
 */
export function variablesOf(value) {
  if (value instanceof Num) {
    const rounded = Number(value.text);
    if (Number.isSafeInteger(rounded)) return rounded;
    return /^-?\d+$/.test(value.text) ? BigInt(value.text) : rounded;
  }
  if (Array.isArray(value)) return value.map(variablesOf);
  if (value instanceof Map) {
    const members = Object.create(null);
    for (const [name, member] of value) members[name] = variablesOf(member);
    return members;
  }
  return value;
}
