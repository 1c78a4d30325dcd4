// Compares the responses to documents with the reference: those of the corpus, and generated ones from a seed.
//
//   npm --prefix test/e2e run oracle -- --documents 200000 --seed 7
//   npm --prefix test/e2e run oracle -- --seed 7 --only 1234     one document, with both outcomes
//   npm --prefix test/e2e run oracle -- --seed 7 --brief         only the number of documents that differ, not reduced
//
// Read compareAll first.

import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';

import { difference } from './compare.js';
import { corpus } from './corpus.js';
import { deviations } from './deviations.js';
import { everything } from './everything.js';
import { generate } from './generate.js';
import { reduced } from './reduce.js';
import { startWorld } from './world.js';

const connections = 16;

// A run with more requests than this should meet every deviation.
const long = 100_000;

// The number of differences that ends a run by default: more are rarely useful.
const enough = 20;

/** The result of a run. */
export class Report {
  requests = 0;
  refused = 0; // refused by the reference
  faulty = 0; // with data and errors
  matched = new Map(deviations.map(({ name }) => [name, 0]));
  differences = [];
  broken = false; // whether the gateway stopped responding

  toString() {
    const matched = [...this.matched].map(([name, n]) => `${name} ${n}`).join(', ');
    return `${this.requests} requests, ${this.refused} refused, ${this.faulty} with errors; deviations: ${matched}`;
  }
}

/** Compares one request, and adds the result to the report. */
export async function compareOne(world, request, name, report) {
  report.requests++;
  let outcomes;
  try {
    outcomes = await world.outcomes(request);
  } catch (error) { // one of the requests under way has ended the gateway
    report.broken = true;
    report.differences.push({ name, text: `no response: ${error.message}`, request });
    return;
  }
  const { reference, gateway } = outcomes;
  if (reference.refused) report.refused++;
  else if (reference.errors.length > 0) report.faulty++;
  const text = difference(reference, gateway, world.cursors);
  if (!text) return;
  const deviation = deviations.find(({ matches }) => matches({ request, reference, gateway, text }));
  if (deviation) report.matched.set(deviation.name, report.matched.get(deviation.name) + 1);
  else report.differences.push({ name, text, request });
}

/**
 * Compares the corpus and the documents of a seed.
 *
 * @param {number} seed
 * @param {number} documents
 * @param {{ progress?: (report: Report) => void, most?: number }} options progress is called from time to time; most is
 *   the number of differences that ends the run
 */
export async function compareAll(world, seed, documents, { progress = () => {}, most = enough } = {}) {
  const report = new Report();
  const requests = allRequests(world, seed, documents);
  let next = 10_000; // requests until progress is called
  const worker = async () => {
    for (const { name, ...request } of requests) {
      if (report.broken || report.differences.length >= most) return;
      await compareOne(world, request, name, report);
      if (report.requests >= next) {
        next += 10_000;
        progress(report);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return report;
}

/** One iterator, shared by all workers. */
function* allRequests(world, seed, documents) {
  yield* corpus(world.known);
  yield* everything(world.schema, world.known);
  for (let number = 0; number < documents; number++) {
    for (const request of generate(world, seed, number)) yield { name: `--seed ${seed} --only ${number}`, ...request };
  }
}

async function main() {
  const { values } = parseArgs({
    options: {
      documents: { type: 'string', default: '10000' }, seed: { type: 'string' }, only: { type: 'string' },
      federation: { type: 'string', default: 'on' }, brief: { type: 'boolean' }, differences: { type: 'string', default: String(enough) },
    },
  });
  const seed = Number(values.seed ?? Date.now() % 2 ** 32);
  const world = await startWorld(connections, { seed, federation: values.federation });
  if (values.only) {
    for (const request of generate(world, seed, Number(values.only))) await show(world, request);
    await world.stop();
    return;
  }
  console.log(`--documents ${values.documents} --seed ${seed}`);
  const begin = Date.now();
  const seconds = () => Math.round((Date.now() - begin) / 1000);
  const progress = (report) => console.log(`${seconds()} s: ${report}; ${world.services.size} responses stored`);
  const report = await compareAll(world, seed, Number(values.documents), { progress, most: Number(values.differences) });
  progress(report);
  if (values.brief) console.log(`${new Set(report.differences.map(({ name }) => name)).size} documents differ: ${report.differences[0]?.text ?? ''}`);
  for (const { name, text, request } of values.brief ? [] : report.differences) {
    const { query, variables, operationName } = report.broken ? request : await reduced(world, request);
    console.log(`\n${name}\n  ${text}\n  ${JSON.stringify(query)} ${variables ?? ''} ${operationName ?? ''}`);
  }
  const unmet = [...report.matched].filter(([, n]) => n === 0).map(([name]) => name);
  if (unmet.length > 0 && report.requests > long) console.log(`no document matched the deviations ${unmet}`);
  if (!report.broken) await world.idle();
  await world.stop(); // fails if the gateway has died or logged an error
  process.exitCode = report.differences.length > 0 || (unmet.length > 0 && report.requests > long) ? 1 : 0;
}

/** Prints a request and both outcomes. */
async function show(world, request) {
  const { reference, gateway } = await world.outcomes(request);
  console.log(request.query, request.variables, request.operationName);
  console.log(reference.refused ? reference.refused.map(({ message }) => message) : JSON.stringify(reference.data), reference.errors);
  console.log(gateway.status, gateway.text);
  console.log(difference(reference, gateway, world.cursors) ?? 'the same');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main();
