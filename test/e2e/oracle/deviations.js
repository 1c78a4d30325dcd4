// Accepted differences between the gateway and graphql-js: docs/conformance.md has the reasons, one row for each name. Each
// entry matches as few differences as possible. An entry that no document of a long run matches is outdated, and fails the
// run.

import { Kind, visit } from 'graphql';

import { codesOf } from './compare.js';
import { Num, parse, write } from './json.js';

/**
 * A difference with its context.
 *
 * @typedef {{ request: object, reference: object, gateway: object, text: string }} Found
 * @type {{ name: string, matches: (found: Found) => boolean }[]}
 */
export const deviations = [
  {
    name: 'limits',
    matches: ({ gateway }) => refusedWith(gateway, 'LIMIT_EXCEEDED'),
  },
  {
    name: 'null-condition',
    matches: ({ request, reference, gateway }) =>
      refusedWith(gateway, 'GRAPHQL_VALIDATION_FAILED') && !reference.refused && hasNullCondition(request, reference.document),
  },
  {
    name: 'own-scalar',
    matches: ({ reference, gateway }) =>
      gateway.data && reference.refused?.every(({ message }) => /(^|; )(Cents|DateTime) must be /.test(message)) &&
      (codesOf(gateway).includes('BAD_USER_INPUT') || mayPassOver(reference.document)),
  },
  {
    name: 'id-number',
    matches: ({ request, reference, gateway }) =>
      !reference.refused && hasOddID(request, reference.document) &&
      (refusedWith(gateway, 'GRAPHQL_VALIDATION_FAILED') || (gateway.data && codesOf(gateway).includes('BAD_USER_INPUT'))),
  },
  {
    name: 'null-representation',
    matches: ({ request, reference, gateway }) =>
      reference.data === null && gateway.data && hasNullRepresentation(request, reference.document) &&
      reference.errors.some(({ message }) => /^Argument "representations" (of non-null type|has invalid value)/.test(message)),
  },
  {
    name: 'representation-number',
    matches: ({ request, reference, gateway }) =>
      !reference.refused && refusedWith(gateway, 'GRAPHQL_VALIDATION_FAILED') && /representations|_Any/.test(request.query) &&
      has(reference.document, Kind.FLOAT, ({ value }) => !Number.isFinite(Number(value))),
  },
  {
    name: 'control-character',
    matches: ({ request, reference, gateway }) =>
      !reference.refused && refusedWith(gateway, 'GRAPHQL_PARSE_FAILED') && /[\0-\x08\v\f\x0e-\x1f]/.test(request.query),
  },
  {
    name: 'number-before-name',
    matches: ({ request, reference, gateway }) =>
      gateway.data && reference.stage === 'parse' && /\d[A-Za-z_]/.test(request.query) &&
      /^Syntax Error: Invalid number/.test(reference.refused[0].message),
  },
  {
    name: 'strict-json',
    matches: ({ request, gateway }) => refusedWith(gateway, 'BAD_REQUEST') && isOddJSON(request.variables ?? ''),
  },
  {
    name: 'introspection-list',
    matches: ({ gateway, text }) =>
      gateway.data &&
      /^at \S*\.(fields|inputFields|enumValues|interfaces|possibleTypes): null, but in the gateway's response \[\]$/.test(text),
  },
];

const refusedWith = (gateway, code) => !gateway.data && codesOf(gateway).every((one) => one === code);

/** The operation of a request, and the values of its variables. */
function operationOf({ variables, operationName }, document) {
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const operation = operations.length === 1 ? operations[0] : operations.find(({ name }) => name?.value === operationName);
  return { definitions: operation.variableDefinitions, given: parse(variables ?? 'null') ?? new Map() };
}

/** Whether a request has null for a variable with a default that is used in a @skip or @include of the document. */
function hasNullCondition(request, document) {
  const { definitions, given } = operationOf(request, document);
  const nulls = definitions
    .filter(({ defaultValue, variable }) => defaultValue && given.get(variable.name.value) === null)
    .map(({ variable }) => variable.name.value);
  return has(document, Kind.DIRECTIVE, (directive) => {
    const value = /^(skip|include)$/.test(directive.name.value) && directive.arguments[0]?.value;
    return value?.kind === Kind.VARIABLE && nulls.includes(value.name.value);
  });
}

/** Whether a request has null for a variable of representations with a default. */
function hasNullRepresentation(request, document) {
  const { definitions, given } = operationOf(request, document);
  return definitions.some(({ variable, type }) => nameOf(type) === '_Any' && hasNull(given.get(variable.name.value)));
}

const hasNull = (value) => value === null || (Array.isArray(value) && value.some(hasNull));

/** Whether a document has an integer beyond 64 bits, or the request has such an integer, or one like 5.0, for an ID. */
function hasOddID(request, document) {
  const beyond = (text) => /^-?\d+$/.test(text) && BigInt(text) !== BigInt.asIntN(64, BigInt(text));
  if (has(document, Kind.INT, ({ value }) => beyond(value))) return true;
  const { definitions, given } = operationOf(request, document);
  const odd = (value) => {
    if (value instanceof Num) return beyond(value.text) || /[.eE]/.test(value.text);
    return value instanceof Map ? odd(value.get('id')) : Array.isArray(value) && value.some(odd);
  };
  return definitions.some(({ variable, type }) => {
    const value = given.get(variable.name.value);
    return /^(ID|_Any|WithdrawalFilter)$/.test(nameOf(type)) && odd(value);
  });
}

const nameOf = (type) => (type.type ? nameOf(type.type) : type.name.value);

/** Whether a value of a document may be unused: it has conditions, another operation, or a default. */
function mayPassOver(document) {
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const defaults = has(document, Kind.VARIABLE_DEFINITION, ({ defaultValue }) => defaultValue);
  return operations.length > 1 || defaults || has(document, Kind.DIRECTIVE, () => true);
}

/** Whether a document has a node of a kind for which the test is true. */
function has(document, kind, test) {
  let found = false;
  visit(document, { [kind]: (node) => void (found ||= test(node)) });
  return found;
}

/** Whether JSON has a lone surrogate, or an object with a duplicate member. */
function isOddJSON(text) {
  if (text === '') return false;
  // In the rewritten JSON a surrogate pair has no escape, and a member occurs once.
  const members = (json) => json.match(/"\w+":/g)?.length;
  return /\\ud[89a-f]/i.test(JSON.stringify(JSON.parse(text))) || members(write(parse(text))) !== members(text);
}
