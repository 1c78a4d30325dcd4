// The directives of a document: @skip and @include with literals and variables, and directives that are invalid at
// their location.

import { GraphQLBoolean, GraphQLNonNull } from 'graphql';

import { literal, plain } from './values.js';

const condition = new GraphQLNonNull(GraphQLBoolean);

export class Directives {
  #random;
  #variables;
  #faults;

  constructor(random, variables, faults) {
    this.#random = random;
    this.#variables = variables;
    this.#faults = faults;
  }

  /** Usually no directive. */
  some(location, uses) {
    if (this.#faults.here(1)) return this.of(location, uses);
    if (!this.#random.percent(8)) return '';
    const first = this.#random.of(['skip', 'include']);
    const both = this.#random.percent(15) ? this.#one(first === 'skip' ? 'include' : 'skip', uses) : '';
    return this.#one(first, uses) + both;
  }

  #one(name, uses) {
    const value = this.#random.percent(60) ? this.#variables.use(condition, 'if', uses) : plain(this.#random.of(['true', 'false']));
    return ` @${name}(if: ${literal(value)})`;
  }

  /** A directive that may be invalid, or at an invalid location. */
  of(location, uses) {
    return ` ${this.#random.of([
      '@skip', '@skip()', '@skip(if: null)', '@include(if: {})', '@include(if: "true")', '@include(if: 1)',
      '@skip(if: [true])', '@skip(if: TRUE)',
      '@skip(if: true) @skip(if: false)', '@include(if: true, if: true)', '@include(if: true, unless: false)', '@unknown',
      '@unknown(if: true)',
      '@oauthScopes(scopes: [["x"]])', '@deprecated', '@deprecated(reason: "x")', '@specifiedBy(url: "x")', '@defer',
      '@oneOf', '@include(if: $missing)',
      this.#one('include', uses).trim(),
    ])}`;
  }
}
