// Compares responses in parts with graphql-js 17, which knows @defer, and the joined parts with the whole response.
//
//   npm --prefix test/e2e run parts -- --documents 20000 --seed 7
//
// Read compareParts first.

import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import { getOperationAST, Kind, parse, print, specifiedRules, validate, valueFromAST, typeFromAST } from 'graphql';
import { buildSchema, experimentalExecuteIncrementally } from 'graphql17';

import { decide, insertDefer } from './deferred.js';
import { generate } from './generate.js';
import { Random } from './random.js';
import { startWorld } from './world.js';

/** The number of comparisons of each kind, and the differences. */
export class PartsReport {
  whole = 0; // responses without parts
  parts = 0;
  nulls = 0; // not compared: with an error that makes an object null
  differences = [];

  toString() {
    return `${this.whole} whole responses, ${this.parts} in parts, ${this.nulls} not compared`;
  }
}

/** Compares generated documents with @defer until a number of them came in parts. */
export async function compareParts(world, seed, wanted) {
  const report = new PartsReport();
  const schema = buildSchema(world.sdl);
  let number = 0;
  const worker = async () => {
    while (report.parts < wanted && report.differences.length < 5) {
      const document = number++;
      const [request] = generate(world, seed, document);
      await compareOne(world, schema, request, new Random(seed, document), report);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return report;
}

async function compareOne(world, schema, request, random, report) {
  const prepared = prepare(world.schema, request, random);
  if (!prepared) return;
  const { query, document, operation, variables, given } = prepared;
  const send = (accept) => world.client.sendFor(accept, { ...request, query });
  const wholeText = await send('application/json');
  const whole = JSON.parse(wholeText.text);
  if (whole.data === undefined) return undefined;
  const response = await send('multipart/mixed;incrementalSpec=v0.2, application/json');
  const older = await send('multipart/mixed;deferSpec=20220824, application/json');
  const fail = (text) => report.differences.push({ text, query, variables: request.variables, whole: wholeText.text, parts: response.text });
  const expected = decide(world.schema, document, operation, variables);
  const source = new Source(whole);
  // The data of an object that an error has made null is not known.
  if (source.errors.some((one) => one.path && valueAt(whole.data, one.path) !== null)) {
    report.nulls++;
    return undefined;
  }
  const result = await experimentalExecuteIncrementally({
    schema, document: expected, rootValue: whole.data, variableValues: given, fieldResolver: source.resolve,
  });
  if (!result.initialResult) {
    report.whole++;
    if (response.contentType.startsWith('multipart')) fail('in parts, expected whole');
    return;
  }
  report.parts++;
  const want = [result.initialResult];
  for await (const part of result.subsequentResults) want.push(part);
  if (!response.contentType.startsWith('multipart')) return fail('whole, expected parts');
  const got = partsOf(response.text);
  const joined = summary(got);
  if (joined.failed > 0) return fail('a fragment failed');
  for (const [name, value] of Object.entries(summary(want))) {
    if (stable(value) !== stable(joined[name])) return fail(`${name}: ${stable(joined[name])}\nexpected ${stable(value)}`);
  }
  if (stable(joined.data) !== stable(whole.data)) return fail('the joined parts differ from the whole response');
  if (stable(join01(partsOf(older.text))) !== stable(whole.data)) return fail(`version 0.1: ${older.text}`);
  return undefined;
}

/**
 * A valid request with @defer; nothing for an invalid one, one of introspection, which graphql-js resolves itself, or one
 * with a summary: a fragment that repeats one is not deferred, which graph/pipeline/defer_test.go tests.
 */
function prepare(schema, request, random) {
  if (/__(schema|type)\b|Summary\b/.test(request.query)) return undefined;
  let document;
  try {
    document = insertDefer(parse(request.query), random);
    if (validate(schema, document, specifiedRules).length > 0) return undefined;
  } catch {
    return undefined;
  }
  const operation = getOperationAST(document, request.operationName);
  if (!operation || document.definitions.some(({ kind }) => kind !== Kind.OPERATION_DEFINITION && kind !== Kind.FRAGMENT_DEFINITION)) return undefined;
  const given = JSON.parse(request.variables ?? '{}') ?? {};
  if (typeof given !== 'object') return undefined;
  const variables = {};
  for (const { variable, type, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    variables[name] = name in given ? given[name] : defaultValue && valueFromAST(defaultValue, typeFromAST(schema, type));
  }
  return { query: print(document), document, operation, variables, given };
}

/** Resolves fields with the values and errors of a whole response. */
class Source {
  constructor({ errors = [] }) {
    this.errors = errors;
    this.byPath = new Map(errors.map((one) => [JSON.stringify(one.path), one]));
  }

  resolve = (parent, args, context, { path }) => {
    const failed = this.byPath.get(JSON.stringify(pathOf(path)));
    if (failed) throw new Error(failed.message);
    const value = parent[path.key];
    if (!Array.isArray(value)) return value;
    return value.map((element, i) => {
      const at = this.byPath.get(JSON.stringify([...pathOf(path), i]));
      return at ? new Error(at.message) : element;
    });
  };
}

function pathOf(path) {
  return path ? [...pathOf(path.prev), path.key] : [];
}

function valueAt(data, path) {
  let value = data;
  for (const key of path) {
    if (value === null || value === undefined) return undefined; // within a null
    value = value[key];
  }
  return value;
}

/** The parts of a multipart body. */
function partsOf(text) {
  return text.split('--graphql').slice(1, -1).map((part) => JSON.parse(part.slice(part.indexOf('\r\n\r\n'))));
}

/** What a response in parts consists of, whatever the order of its parts is. */
function summary(parts) {
  const fragments = new Map();
  const pending = [];
  const groups = [];
  const errors = new Set();
  const initial = JSON.parse(JSON.stringify(parts[0].data)); // a copy without prototypes
  const data = structuredClone(initial);
  let failed = 0;
  const note = (list = []) => list.forEach(({ path }) => errors.add(stable(path)));
  for (const part of parts) {
    note(part.errors);
    for (const { id, path, label } of part.pending ?? []) {
      fragments.set(id, path);
      // Later, a fragment is announced unless other fragments have delivered all of its fields: that depends on the time.
      if (part === parts[0]) pending.push([path, label ?? null]);
    }
    for (const { id, subPath = [], data: more, errors: list } of part.incremental ?? []) {
      const path = [...fragments.get(id), ...subPath];
      groups.push([path, more]);
      merge(valueAt(data, path), JSON.parse(JSON.stringify(more)));
      note(list);
    }
    for (const { errors: list } of part.completed ?? []) {
      if (list) failed++;
      note(list);
    }
  }
  return { initial, pending: sorted(pending), groups: sorted(groups), errors: [...errors].sort(), data, failed };
}

/** The data of a response in parts of version 0.1. */
function join01(parts) {
  const { data } = parts[0];
  for (const { incremental = [] } of parts.slice(1)) {
    for (const { path, data: more } of incremental) merge(valueAt(data, path), more);
  }
  return data;
}

function merge(into, from) {
  for (const [key, value] of Object.entries(from)) {
    if (into[key] && value && typeof value === 'object') merge(into[key], value);
    else into[key] = value;
  }
}

const sorted = (list) => list.map(stable).sort();

/** The JSON of a value, with sorted keys. */
function stable(value) {
  return JSON.stringify(value, (key, one) => (one && typeof one === 'object' && !Array.isArray(one)
    ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one));
}

async function main() {
  const { values } = parseArgs({ options: { documents: { type: 'string', default: '2000' }, seed: { type: 'string' } } });
  const seed = Number(values.seed ?? Date.now() % 2 ** 32);
  console.log(`--documents ${values.documents} --seed ${seed}`);
  const world = await startWorld(16);
  const report = await compareParts(world, seed, Number(values.documents));
  console.log(String(report));
  for (const { text, query, variables, whole, parts } of report.differences) {
    console.log(`\n${text}\n${query}\n${variables}\n${whole}\n${parts}`);
  }
  await world.idle();
  await world.stop();
  process.exitCode = report.differences.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main();
