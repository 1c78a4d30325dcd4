// Compares files of lists, in NDJSON, with the data of graphql-js for all pages: a line per record, and the end that says whether
// the file is complete (docs/downloads.md). Read compareFiles first.
//
//   node test/e2e/oracle/files.js --documents 200 --seed 7

import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';

import { dataDifference } from './compare.js';
import { generateList } from './generate.js';
import { parse } from './json.js';
import { startWorld } from './world.js';

const mostPages = 40; // of a list that is compared

/** Compares generated selections of both lists. Requests that graphql-js refuses have no file. */
export async function compareFiles(world, seed, documents) {
  const report = { files: 0, records: 0, unreadable: 0, differences: [] };
  for (let number = 0; number < documents && report.differences.length < 5; number++) {
    const request = generateList(world, seed, number);
    const want = await wholeList(world, request);
    if (!want) continue;
    const { status, text } = await world.client.sendFor('application/x-ndjson', { ...request, query: request.pageOf(1) });
    // Only one deviation is possible here: null for a condition.
    if (status === 400 && /"variable \$\w+ cannot be null"/.test(text)) continue;
    const found = fileDifference(text, want, world.cursors);
    if (found) report.differences.push({ text: found, query: request.pageOf(1), variables: request.variables });
    report.files++;
    report.records += want.nodes.length;
    report.unreadable += want.errors.length;
  }
  return report;
}

/** The nodes of all pages, and the paths of errors with the numbers of the records; undefined for a list that has no file. */
async function wholeList(world, request) {
  const nodes = [];
  const errors = [];
  for (let page = 1; ; page++) {
    const { reference } = await world.outcomes({ ...request, query: request.pageOf(page) }, { onlyReference: true });
    if (reference.refused || reference.data?.list?.nodes === undefined || page > mostPages) return undefined;
    const { list } = reference.data;
    errors.push(...reference.errors.map(({ path: [field, key, index, ...rest] }) => [field, key, nodes.length + index, ...rest]));
    nodes.push(...list.nodes);
    if (page >= list.totalPages) return { nodes, errors, pages: page };
  }
}

function fileDifference(text, { nodes, errors, pages }, cursors) {
  const lines = text.trimEnd().split('\n').map(parse);
  const end = lines.pop()?.get?.('@download');
  if (!end) return `no end: ${text.slice(0, 200)}`;
  const found = dataDifference(nodes, lines, cursors, 'records');
  if (found) return found;
  const told = (name) => end.get(name)?.text ?? end.get(name);
  const [counted, wanted] = [`${told('records')} records of ${told('pages')} pages`, `${nodes.length} records of ${pages} pages`];
  if (counted !== wanted) return `${counted}, not ${wanted}`;
  if (told('complete') !== (errors.length === 0)) return `complete is ${told('complete')}, with ${errors.length} errors: ${told('reason')}`;
  if (errors.length > 0 && told('reason') !== 'RECORD_UNREADABLE') return `the reason is ${told('reason')}`;
  const known = new Set(errors.map((path) => path.join()));
  const wrong = (end.get('errors') ?? []).map((error) => error.get('path')?.map((step) => step.text ?? step).join()).filter((path) => path && !known.has(path));
  return wrong.length > 0 ? `errors at ${wrong}, which graphql-js does not have` : undefined;
}

async function main() {
  const { values } = parseArgs({ options: { documents: { type: 'string', default: '200' }, seed: { type: 'string' } } });
  const seed = Number(values.seed ?? Date.now() % 2 ** 32);
  console.log(`--documents ${values.documents} --seed ${seed}`);
  const world = await startWorld(4, { seed });
  const { differences, ...counts } = await compareFiles(world, seed, Number(values.documents));
  console.log(counts);
  for (const { text, query, variables } of differences) console.log(`\n${text}\n${query} ${variables}`);
  await world.idle();
  await world.stop();
  process.exitCode = differences.length > 0 || counts.files === 0 ? 1 : 0; // of some seeds, no list has a file
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main();
