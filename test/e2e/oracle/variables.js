// The variables of a document: each is created where it is first used. Every operation that reaches that place defines it,
// with its own default.

import { isListType, isNonNullType } from 'graphql';

import { literal, plain, variable } from './values.js';

export class Variables {
  #random;
  #values;
  #faults;
  #made = new Map(); // by name: { type, use, text, defaulted }

  constructor(random, values, faults) {
    this.#random = random;
    this.#values = values;
    this.#faults = faults;
  }

  /** A variable for a place of the type: an existing or a new one. */
  use(type, use, uses) {
    const random = this.#random;
    const known = [...this.#made].filter(([, made]) => made.type === type && made.use === use);
    let name = known.length > 0 && random.percent(50) ? random.of(known)[0] : undefined;
    if (!name) {
      name = `v${this.#made.size}`;
      this.#made.set(name, { type, use, ...this.#declaration(type) });
    }
    if (this.#faults.here(5)) return variable('missing');
    uses.variables.add(name);
    return variable(name);
  }

  /**
   * The declaration of a variable for a type: the type itself, a stricter one, or a nullable one with a default;
   * sometimes an invalid one.
   */
  #declaration(type) {
    const random = this.#random;
    let text = String(type);
    if (this.#faults.here(5)) {
      const named = ['String', 'ID', 'Int', 'Boolean', '[ID!]', 'Cents', 'Query', 'Unknown', 'DepositFilter', '[[Int]]'];
      const others = [...named, `[${text}]`, text.replace(/!$/, '')];
      return { text: random.of(others), defaulted: random.percent(40) };
    }
    if (isNonNullType(type)) {
      if (random.percent(40)) return { text: text.slice(0, -1), defaulted: true };
    } else if (random.percent(25)) {
      text += '!';
    }
    if (isListType(type) && isNonNullType(type.ofType) && random.percent(5)) {
      return { text: text.replace(/!\]/, ']'), defaulted: false };
    }
    return { text, defaulted: random.percent(30) };
  }

  /** The variable definitions of an operation, in random order; empty if it declares no variable. */
  definitions(names) {
    const random = this.#random;
    let chosen = random.shuffled(names);
    if (this.#faults.here(5)) chosen = chosen.slice(1);
    const texts = chosen.filter((name) => this.#made.has(name)).map((name) => {
      const { type, use, text, defaulted } = this.#made.get(name);
      return `$${name}: ${text}${defaulted ? ` = ${literal(this.#values.of(type, use))}` : ''}`;
    });
    const odd = ['$v0: Int', '$unused: Int', '$u: Int = $v0', '$u: Int @skip(if: true)', '$u: Int!= 1'];
    if (this.#faults.here(5)) texts.push(random.of(odd));
    return texts.length > 0 ? `(${texts.join(random.of([' ', ', ']))})` : '';
  }

  /** The values of the variables in a request: a value, null or absent. */
  given() {
    const random = this.#random;
    const given = [];
    for (const [name, { type, use, text, defaulted }] of this.#made) {
      const optional = defaulted || !text.endsWith('!');
      if (optional && random.percent(35)) continue;
      if (optional && random.percent(10)) given.push([name, plain('null')]);
      else given.push([name, this.#faults.here(25) ? this.#values.wrong() : this.#values.of(type, use)]);
    }
    if (random.percent(3)) given.push(['unknown', plain('1')]);
    return given;
  }
}
