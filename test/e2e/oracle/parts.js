// Compares responses in parts with graphql-js 17, which knows @defer, and the joined parts with the whole response.
//
//   npm --prefix test/e2e run parts -- --documents 20000 --seed 7
//
// Read compareParts first.

import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import { getOperationAST, Kind, parse, print, specifiedRules, validate, valueFromAST, typeFromAST } from 'graphql';
import { experimentalExecuteIncrementally } from 'graphql17';

import { decide, insertDefer } from './deferred.js';
import { deferredCorpus } from './deferredcorpus.js';
import { generate } from './generate.js';
import { incrementalSchema, isBroken, partsOfReference, plainOf, plainSchema } from './incremental.js';
import { parse as parseJSON } from './json.js';
import { Random } from './random.js';
import { variablesOf } from './reference.js';
import { startWorld } from './world.js';

/** The number of comparisons of each kind, and the differences. */
export class PartsReport {
  whole = 0; // responses without parts
  parts = 0;
  nulls = 0; // of the responses in parts, with an error that makes an object null
  skipped = 0; // those of them that are not compared
  broken = 0; // documents for which graphql-js itself fails
  differences = [];

  toString() {
    return `${this.whole} whole responses, ${this.parts} in parts, ${this.nulls} of them with objects that are null, ` +
      `${this.skipped} not compared, ${this.broken} without a reference`;
  }
}

/** Compares generated documents with @defer until a number of them came in parts. */
export async function compareParts(world, seed, wanted) {
  const report = new PartsReport();
  const schemas = { plain: plainSchema(world.sdl), resolving: incrementalSchema(world.sdl, world.schema) };
  let number = 0;
  const named = deferredCorpus(world.known);
  const worker = async () => {
    while (report.parts < wanted && report.differences.length < 5) {
      const document = number++;
      const [request] = document < named.length ? [{ query: named[document] }] : generate(world, seed, document);
      await compareOne(world, schemas, request, new Random(seed, document), report);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return report;
}

async function compareOne(world, schemas, request, random, report) {
  const prepared = prepare(world.schema, request, random);
  if (!prepared) return;
  const { query, document, operation, variables, given } = prepared;
  const send = (accept) => world.client.sendFor(accept, { ...request, query });
  const wholeText = await send('application/json');
  const whole = plainOf(parseJSON(wholeText.text));
  if (whole.data === undefined) return undefined;
  const response = await send('multipart/mixed;incrementalSpec=v0.2, application/json');
  const older = await send('multipart/mixed;deferSpec=20220824, application/json');
  const fail = (text) => report.differences.push({ text, query, variables: request.variables, whole: wholeText.text, parts: response.text });
  if (/_entities|_Entity/.test(query)) { // the schedule of a union would need another algorithm
    report.whole++;
    return response.contentType.startsWith('multipart') ? fail('in parts, but it has entities') : undefined;
  }
  const expected = decide(world.schema, document, operation, variables);
  const source = new Source(whole);
  // The whole response does not have the data of an object that an error has made null: the resolvers make it again.
  const resolved = source.errors.some((one) => one.path && valueAt(whole.data, one.path) !== null);
  const isCut = source.errors.some(({ extensions }) => extensions?.limit === 'errors'); // parts have a limit each
  if (isCut || (resolved && /cursor|Cursor|explanation/.test(query))) { // the reference has stand-ins for them
    report.skipped++;
    return undefined;
  }
  const got = response.contentType.startsWith('multipart') ? partsOf(response.text).map(plainOf) : undefined;
  let want;
  try {
    want = resolved
      ? await partsOfReference(schemas.resolving, expected, variablesOf(parseJSON(request.variables ?? '{}')))
      : await partsOfWhole(schemas.plain, expected, source, whole.data, given);
  } catch (error) {
    if (!isBroken(error)) throw error;
    report.broken++;
    return undefined;
  }
  if (!want) {
    report.whole++;
    return got && fail('in parts, expected whole');
  }
  report.parts++;
  if (!got) return fail('whole, expected parts');
  const joined = summary(got);
  const wanted = summary(want);
  if (resolved) {
    report.nulls++;
    const [of, ofWanted] = [joined.errors, wanted.errors];
    wanted.errors = ofWanted.filter((path) => of.includes(path) || !isExplained(JSON.parse(path), joined, got));
    // Of two parts that make a fragment fail, the one that ends first says why.
    joined.errors = of.filter((path) => ofWanted.includes(path) || !isExplained(JSON.parse(path), { ...wanted, errors: ofWanted }, want));
  }
  for (const [name, value] of Object.entries(wanted)) {
    if (stable(value) !== stable(joined[name])) return fail(`${name}: ${apart(stable(joined[name]), stable(value))}`);
  }
  if (resolved) return undefined; // a null within a fragment does not make the objects around it null
  if (stable(joined.data) !== stable(whole.data)) return fail('the joined parts differ from the whole response');
  if (stable(join01(partsOf(older.text).map(plainOf))) !== stable(whole.data)) return fail(`version 0.1: ${older.text}`);
  return undefined;
}

/** Whether a path is within a null, or a fragment without data, for which a response has an error. The gateway keeps one. */
function isExplained(path, { data, errors }, parts) {
  const announced = new Map(parts.flatMap(({ pending = [] }) => pending.map(({ id, path: at }) => [id, at])));
  const failed = new Set(parts.flatMap(({ completed = [] }) => completed.filter((one) => one.errors).map(({ id }) => stable(announced.get(id)))));
  return path.some((_, length) => {
    const around = path.slice(0, length);
    const isNull = failed.has(stable(around)) || (valueAt(data, around) ?? null) === null;
    return isNull && errors.some((one) => stable(JSON.parse(one).slice(0, length)) === stable(around));
  });
}

/** What two texts have around the first place where they differ. */
function apart(got, want) {
  const at = [...got].findIndex((character, i) => character !== want[i]);
  const around = (text) => text.slice(Math.max(0, at - 120), at + 80);
  return `${around(got)}\nexpected ${around(want)}`;
}

/** The parts of a whole response; undefined if nothing is deferred. */
async function partsOfWhole(schema, document, source, rootValue, variableValues) {
  const result = await experimentalExecuteIncrementally({ schema, document, rootValue, variableValues, fieldResolver: source.resolve });
  if (!result.initialResult) return undefined;
  const parts = [result.initialResult];
  for await (const part of result.subsequentResults) parts.push(part);
  return parts;
}

/**
 * A valid request with @defer; nothing for an invalid one, one of introspection, which graphql-js resolves itself, or one
 * with a summary: a fragment that repeats one is not deferred, which serve/defer_test.go tests.
 */
function prepare(schema, request, random) {
  if (/__(schema|type)\b|Summary\b/.test(request.query)) return undefined;
  let document;
  try {
    document = parse(request.query);
    if (!/@defer/.test(request.query)) document = insertDefer(document, random);
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
  return text.split('--graphql').slice(1, -1).map((part) => parseJSON(part.slice(part.indexOf('\r\n\r\n'))));
}

/** What a response in parts consists of, whatever the order of its parts is. */
function summary(parts) {
  const fragments = new Map();
  const pending = [];
  const groups = [];
  const errors = new Set();
  const initial = JSON.parse(JSON.stringify(parts[0].data)); // a copy without prototypes
  const data = structuredClone(initial);
  const lost = []; // the paths of parts of objects that the response does not have
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
      const into = valueAt(data, path);
      if (into === null || typeof into !== 'object') lost.push(path);
      else merge(into, JSON.parse(JSON.stringify(more)));
      note(list);
    }
    for (const { errors: list } of part.completed ?? []) {
      if (list) failed++;
      note(list);
    }
  }
  return { initial, pending: sorted(pending), groups: sorted(groups), errors: [...errors].sort(), data, failed, lost: sorted(lost) };
}

/** The data of a response in parts of version 0.1. */
function join01(parts) {
  const { data } = parts[0];
  for (const { incremental = [] } of parts.slice(1)) {
    for (const { path, data: more } of incremental) merge(valueAt(data, path) ?? {}, more ?? {});
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
  const world = await startWorld(16, { seed });
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
