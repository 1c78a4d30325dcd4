// Parts of documents that are the same for each schema: introspection, and definitions that are unusual or invalid in a request.

import { literal } from './values.js';

/**
 * Fields of introspection.
 *
 * @param {string[]} names of types
 * @param {() => object} nameArgument a value for the argument of __type
 */
export function introspection(random, names, nameArgument) {
  const type = random.of([...names, 'DepositFilter', 'Cents', 'LinkState', 'Unknown', 'ID', 'Query']);
  const deep = 'kind name ofType { kind name ofType { kind name } }';
  return random.of([
    `t: __type(name: "${type}") { kind name
      fields { name isDeprecated args { name defaultValue type { ${deep} } } type { ${deep} } } }`,
    `t: __type(name: "${type}") { inputFields { name type { ${deep} } }
      enumValues { name description } interfaces { name } possibleTypes { name } }`,
    '__schema { queryType { name } mutationType { name } subscriptionType { name } }',
    `__type(name: ${literal(nameArgument())}) { name }`,
  ]);
}

/** A definition that is unusual or invalid in a request. */
export function oddity(random) {
  return random.of([
    'type T { a: Int }', 'extend type Query { a: Int }', '"d" { __typename }', 'fragment Unused on Query { __typename }',
    'scalar S', 'schema { query: Query }',
    'query A { __typename }', '{ __typename }', 'fragment on on Query { __typename }', 'query B { ...Missing }',
    'directive @d on FIELD', ';',
  ]);
}
