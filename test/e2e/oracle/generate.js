// Documents and their requests from a seed: mostly valid ones, and invalid ones of all kinds. Read generate first.

import { getNamedType, isLeafType, isNonNullType, isObjectType, isUnionType } from 'graphql';

import { Directives } from './directives.js';
import { damaged } from './damage.js';
import { Faults } from './faults.js';
import { introspection, oddity } from './oddities.js';
import { Random } from './random.js';
import { json, literal, object, Values } from './values.js';
import { Variables } from './variables.js';

/**
 * The requests for one document of a run: one, or several with different variables and operation names.
 *
 * @param {{ schema: import('graphql').GraphQLSchema, known: object }} world the schema, and values of the records
 * @returns {{ query: string, variables?: string, operationName?: string }[]} variables as the text of their JSON
 */
export function generate(world, seed, number) {
  return new Generator(world, new Random(seed, number)).requests();
}

/**
 * A request for a list of which each page can be requested: { variables, pageOf(number) }, whose response has the list under the
 * key `list`.
 */
export function generateList(world, seed, number) {
  return new Generator(world, new Random(seed, number)).list(number % 2 === 0 ? 'deposits' : 'withdrawals', world.known.days.at(-1));
}

/** A request for one record, as a query or a subscription: { number, variables, as(keyword) }. */
export function generateRecord(world, seed, number) {
  const field = ['transaction', 'withdrawal', 'notification'][number % 3];
  return { number, ...new Generator(world, new Random(seed, number)).record(field, world.known[`${field}s`]) };
}

class Generator {
  constructor({ schema, known }, random) {
    this.schema = schema;
    this.random = random;
    this.faults = new Faults(random);
    this.values = new Values(random, known, this.faults);
    this.variables = new Variables(random, this.values, this.faults);
    this.directives = new Directives(random, this.variables, this.faults);
    this.fragments = []; // { name, text, uses }
    this.composites = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith('__'));
  }

  wrong() {
    return this.faults.here(2);
  }

  requests() {
    const { random } = this;
    const count = random.percent(70) ? 1 : 2 + random.below(2);
    const operations = [];
    for (let i = 0; i < count; i++) {
      const uses = newUses('f');
      const set = this.selection(this.schema.getQueryType(), 0, uses);
      operations.push({ set, uses, name: count > 1 || random.percent(60) ? 'ABC'[this.wrong() ? 0 : i] : '' });
    }
    const spread = new Set(operations.flatMap(({ uses }) => [...this.closure(uses).fragments]));
    const fragments = this.fragments.filter(({ name }) => spread.has(name) || this.wrong());
    const texts = operations.map((operation) => this.operation(operation));
    if (this.wrong()) texts.push(oddity(random));
    let query = random.shuffled([...texts, ...fragments.map(({ text }) => text)]).join(random.of([' ', '\n', ' , # é\n']));
    if (random.percent(5)) query = damaged(query, random);
    return Array.from({ length: random.percent(75) ? 1 : 4 }, () => ({ query, ...this.given(operations) }));
  }

  /** A request for a record. */
  record(field, ids) {
    const uses = newUses('f');
    const set = `{ ${field}(id: "${this.random.of(ids)}") ${this.selection(this.schema.getQueryType().getFields()[field].type, 1, uses)} }`;
    const query = this.whole(set, uses);
    return { ...this.given([]), as: (keyword) => query.replace(/\bquery L\b/, `${keyword.padEnd('subscription'.length)} L`) }; // errors have the same locations
  }

  /** A document with one operation, named L. */
  whole(set, uses) {
    const { fragments } = this.closure(uses);
    const operation = this.operation({ set, uses, name: 'L' });
    return [operation, ...this.fragments.filter(({ name }) => fragments.has(name)).map(({ text }) => text)].join(' ');
  }

  /** A request for the records of a list since a day. */
  list(field, day) {
    const uses = newUses('f');
    const connection = getNamedType(this.schema.getQueryType().getFields()[field].type);
    const nodes = this.selection(getNamedType(connection.getFields().nodes.type), 1, uses);
    const set = `{ list: ${field}(page: PAGE, perPage: 100, filter: {startDate: "${day}T00:00:00Z"}) { totalPages nodes ${nodes} } }`;
    const query = this.whole(set, uses);
    return { ...this.given([]), pageOf: (page) => query.replace('page: PAGE', `page: ${page}`) };
  }

  /** The variables and fragments that an operation uses, including those in its fragments. */
  closure(uses) {
    const all = { variables: new Set(uses.variables), fragments: new Set() };
    for (const pending = [...uses.fragments]; pending.length > 0; ) {
      const name = pending.pop();
      if (all.fragments.has(name)) continue;
      all.fragments.add(name);
      const fragment = this.fragments.find((one) => one.name === name);
      fragment?.uses.variables.forEach((used) => all.variables.add(used));
      pending.push(...(fragment?.uses.fragments ?? []));
    }
    return all;
  }

  operation({ set, uses, name }) {
    const { random } = this;
    const definitions = this.variables.definitions([...this.closure(uses).variables]);
    if (!name && !definitions && !this.wrong()) return set;
    const keyword = this.wrong() ? random.of(['mutation', 'subscription', 'Query']) : 'query';
    return `${keyword} ${name}${definitions}${this.wrong() ? this.directives.of('QUERY', uses) : ''} ${set}`;
  }

  /** The variables and the operation name of a request. */
  given(operations) {
    const { random } = this;
    const request = {};
    const given = this.variables.given();
    if (given.length > 0 || random.percent(10)) {
      request.variables = this.wrong() ? random.of(['null', '{}', '[]', '{"a": 1}', '"x"']) : json(object(given));
    }
    if (operations.length > 1 || (operations.length > 0 && random.percent(20))) request.operationName = random.of(operations).name;
    if (this.wrong()) request.operationName = random.of([undefined, '', 'A', 'Z', 'F0', null]);
    if (request.operationName === undefined || request.operationName === '') delete request.operationName;
    return request;
  }

  selection(type, depth, uses) {
    const { random } = this;
    if (isUnionType(type)) return this.members(type, depth, uses);
    // A field that waits for a status would wait, and the reference has no live records.
    const fields = Object.values(type.getFields()).filter(({ name }) => !name.startsWith('await'));
    const parts = [];
    for (let n = 1 + random.below(depth === 0 ? 3 : 5); n > 0; n--) {
      const choice = random.below(100);
      if (choice < 7) parts.push(this.inline(type, depth, uses));
      else if (choice < 14) parts.push(this.spread(type, depth, uses));
      else if (choice < 20) parts.push(`${this.alias()}__typename${this.directives.some('FIELD', uses)}`);
      else parts.push(this.field(random.of(random.percent(30) ? notable(fields) : fields), type, depth, uses));
    }
    if (depth === 0 && random.percent(3)) parts.push(introspection(random, this.composites.map(({ name }) => name), () => this.nameOfType(uses)));
    return this.wrong() && random.percent(20) ? '{}' : `{ ${parts.join(' ')} }`;
  }

  /** A selection set on a union: on its types, and its type name. */
  members(union, depth, uses) {
    const { random } = this;
    const parts = Array.from({ length: 1 + random.below(4) }, () => {
      const type = random.of(union.getTypes());
      const choice = random.below(100);
      if (choice < 20) return `${this.alias()}__typename${this.directives.some('FIELD', uses)}`;
      if (choice < 40) return this.spread(type, depth, uses);
      if (choice < 50) return `... on ${union.name} ${depth > 6 ? '{ __typename }' : this.members(union, depth + 1, uses)}`;
      return `... on ${this.condition(type)}${this.directives.some('INLINE_FRAGMENT', uses)} ${this.selection(type, depth + 1, uses)}`;
    });
    return this.wrong() ? `{ id ${parts.join(' ')} }` : `{ ${parts.join(' ')} }`;
  }

  alias() {
    return this.random.percent(25) ? `${this.wrong() ? '__' : ''}a${this.random.below(3)}: ` : '';
  }

  field(field, type, depth, uses) {
    const { random } = this;
    const named = getNamedType(field.type);
    if (!isLeafType(named) && depth > 4 + random.below(3)) return '__typename';
    const given = this.arguments(field, uses);
    // Fields with the same name and different arguments cannot be merged, so most of them get an alias.
    let alias = '';
    if (field.args.length > 0) alias = random.percent(85) ? `${uses.prefix}${uses.fields++}: ` : '';
    else if (random.percent(25)) alias = `a${random.below(2)}_${field.name}: `;
    const others = [`${field.name}s`, field.name.toUpperCase(), '__type', 'unknown', '__schema', '__Typename'];
    const fieldName = this.wrong() ? random.of(others) : field.name;
    const below = isLeafType(named) !== this.wrong() ? '' : ` ${isLeafType(named) ? '{ x }' : this.selection(named, depth + 1, uses)}`;
    return `${alias}${fieldName}${given}${this.directives.some('FIELD', uses)}${below}`;
  }

  arguments(field, uses) {
    const { random } = this;
    // The paging arguments of a list: page numbers or cursors, rarely both.
    const byPage = random.percent(50);
    const mixed = random.percent(5);
    const chosen = field.args.filter(({ name, type }) => {
      if (isNonNullType(type)) return !this.wrong();
      if (!mixed && ((byPage && /^(first|after)$/.test(name)) || (!byPage && /^(page|perPage)$/.test(name)))) return false;
      return random.percent(name === 'perPage' || name === 'first' ? 80 : 30);
    });
    const texts = chosen.map(({ name, type }) => `${name}: ${literal(this.argument(type, useOf(field, name), uses))}`);
    if (this.wrong()) texts.push(random.of(['unknown: 1', 'id: "x"', 'page: 1', 'first: 1', `ids: ["x"]`]));
    return texts.length > 0 ? `(${random.shuffled(texts).join(', ')})` : this.wrong() && random.percent(20) ? '()' : '';
  }

  argument(type, use, uses) {
    if (this.random.percent(35)) return this.variables.use(type, use, uses);
    const value = this.values.of(type, use);
    return this.random.percent(30) ? this.withVariables(value, type, use, uses) : value;
  }

  /** The value with variables instead of some of its parts. */
  withVariables(value, type, use, uses) {
    const nullable = isNonNullType(type) ? type.ofType : type;
    if (value.kind === 'list' && nullable.ofType) {
      const part = (value) => (this.random.percent(40) ? this.variables.use(nullable.ofType, use, uses) : value);
      return { ...value, values: value.values.map(part) };
    }
    if (value.kind === 'object' && nullable.getFields) {
      const fields = value.fields.map(([name, part]) => {
        const field = nullable.getFields()[name];
        return [name, field && this.random.percent(50) ? this.variables.use(field.type, name, uses) : part];
      });
      return { ...value, fields };
    }
    return value;
  }

  condition(type) {
    if (!this.wrong()) return type.name;
    return this.random.of([this.random.of(this.composites).name, 'Unknown', 'Int', 'DepositFilter', 'DepositStatus', 'PageInfo']);
  }

  inline(type, depth, uses) {
    const condition = this.random.percent(30) ? '' : ` on ${this.condition(type)}`;
    return `...${condition}${this.directives.some('INLINE_FRAGMENT', uses)} ${this.selection(type, depth, uses)}`;
  }

  spread(type, depth, uses) {
    const { random } = this;
    const known = this.fragments.filter((fragment) => fragment.type === type);
    let name;
    if (known.length > 0 && random.percent(50)) {
      name = random.of(known).name;
    } else if (depth > 6) {
      return '__typename';
    } else {
      name = this.wrong() ? random.of(['F0', 'Missing', 'on']) : `F${this.fragments.length}`;
      const fragment = { name, type, uses: newUses(`g${this.fragments.length}_`), text: '' };
      if (this.wrong()) this.fragments.push(fragment); // it may spread itself
      const set = this.selection(type, depth + 1, fragment.uses);
      if (!this.fragments.includes(fragment)) {
        if (name.startsWith('F') && !this.wrong()) fragment.name = name = `F${this.fragments.length}`;
        this.fragments.push(fragment);
      }
      const definitions = this.wrong() ? '($x: Int = 1)' : '';
      const directive = this.wrong() ? this.directives.of('FRAGMENT_DEFINITION', fragment.uses) : '';
      fragment.text = `fragment ${name}${definitions} on ${this.condition(type)}${directive} ${set}`;
    }
    uses.fragments.add(name);
    return `...${name}${this.directives.some('FRAGMENT_SPREAD', uses)}`;
  }

  /** A value for the argument of __type. */
  nameOfType(uses) {
    return this.argument(this.schema.getType('__Type').getFields().name.type, 'name', uses);
  }
}

const rare = /^(_entities|notifications|transaction|withdrawal|delivery|timeline|brCode|endToEndId|endToEndRefundId|pixKey|pixCode|pixResponse)$/;

/** The fields of a type that are chosen more often than others: links and derived fields. */
function notable(fields) {
  const chosen = fields.filter(({ name }) => rare.test(name));
  return chosen.length > 0 ? chosen : fields;
}

/**
 * The variables and fragments that an operation or a fragment uses, and the aliases of its fields with arguments: equal
 * in two operations.
 */
const newUses = (prefix) => ({ variables: new Set(), fragments: new Set(), prefix, fields: 0 });

/** The use of an argument: the ids of transaction and of Transaction.notifications are of different records. */
function useOf(field, argument) {
  if (argument === 'text') return `text of ${field.name}`;
  return argument === 'id' || argument === 'ids' ? field.name : argument;
}
