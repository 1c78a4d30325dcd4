// Compares the events of subscriptions with graphql-js: each is the response to the query with the same selection. Then all
// records change, and so the next event of each stream is compared. Read compareEvents first.
//
//   node test/e2e/oracle/events.js --documents 100 --seed 7

import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';

import { difference } from './compare.js';
import { generateRecord } from './generate.js';
import { parse, write } from './json.js';
import { startWorld } from './world.js';

const together = 12; // streams at a time
const firstWithin = 10_000;
const changeWithin = 4_000; // without an event, the selected data is the same, or the record cannot be read

/** Compares the events of generated subscriptions, each before and after a change of all records. */
export async function compareEvents(world, seed, documents) {
  const report = { streams: 0, changes: 0, differences: [] };
  for (let number = 0; number < documents && report.differences.length < 5; number += together) {
    const requests = Array.from({ length: together }, (_, i) => generateRecord(world, seed, number + i));
    const streams = (await Promise.all(requests.map((request) => open(world, request)))).filter(Boolean);
    for (const stream of streams) await compareLast(world, stream, report);
    report.streams += streams.length;
    const counts = streams.map(({ events }) => events.length);
    world.services.change(seed + number + 1);
    await new Promise((resolve) => { setTimeout(resolve, changeWithin); });
    for (const [i, stream] of streams.entries()) {
      if (stream.events.length === counts[i] || learns(stream.request)) continue;
      report.changes++;
      await compareLast(world, stream, report);
    }
    streams.forEach(({ close }) => close());
  }
  return report;
}

/** Whether a later event may have links that the gateway learned from the first one: of the transaction of a notification. */
const learns = (request) => /\bnotification\b[^]*\btransaction\b[^]*\bnotifications\b/.test(request.as('subscription'));

/** A stream that has an event; undefined for a request that is refused. */
async function open(world, request) {
  const controller = new AbortController();
  const stream = { request, events: [], close: () => controller.abort() };
  const variables = request.variables && `,"variables":${request.variables}`;
  const response = await fetch(world.gateway.url, {
    method: 'POST', signal: controller.signal,
    headers: { accept: 'text/event-stream', authorization: `Bearer ${world.sandbox.token}-e${request.number}`, 'content-type': 'application/json' },
    body: `{"query":${JSON.stringify(request.as('subscription'))}${variables ?? ''}}`,
  });
  const ended = read(response, stream).catch(() => {});
  for (const end = Date.now() + firstWithin; stream.events.length === 0 && Date.now() < end;) {
    await Promise.race([ended, new Promise((resolve) => { setTimeout(resolve, 50); })]);
    if (!response.ok) break;
  }
  // An event without data is a request error.
  if (stream.events.length > 0 && stream.events[0].get('data') !== undefined) return stream;
  stream.close();
  return undefined;
}

async function read(response, stream) {
  let text = '';
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    text += part;
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop();
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (/^event: next$/m.test(block) && data) stream.events.push(parse(data));
    }
  }
}

async function compareLast(world, { request, events }, report) {
  const event = withoutLive(events.at(-1));
  const query = request.as('query');
  const { reference } = await world.outcomes({ ...request, query }, { onlyReference: true });
  if (reference.refused) return;
  const gateway = { status: 200, data: event.get('data') ?? undefined, errors: event.get('errors') ?? [] };
  const text = difference(reference, gateway, world.cursors);
  if (text) report.differences.push({ text: `${event.get('extensions')?.get('live')?.get('reason')}: ${text}`, query, variables: request.variables });
}

/** An event whose field `live` is null, as in a query, where it has what `extensions.live` has. */
function withoutLive(event) {
  const live = event.get('extensions')?.get('live');
  for (const record of event.get('data')?.values() ?? []) {
    for (const [name, value] of record instanceof Map ? record : []) {
      if (/(^|_)live$/.test(name) && value !== null && write(value) === write(live)) record.set(name, null);
    }
  }
  return event;
}

async function main() {
  const { values } = parseArgs({ options: { documents: { type: 'string', default: '96' }, seed: { type: 'string' } } });
  const seed = Number(values.seed ?? Date.now() % 2 ** 32);
  console.log(`--documents ${values.documents} --seed ${seed}`);
  const world = await startWorld(4, { seed });
  const { differences, ...counts } = await compareEvents(world, seed, Number(values.documents));
  console.log(counts);
  for (const { text, query, variables } of differences) console.log(`\n${text}\n${query} ${variables}`);
  await world.stop();
  process.exitCode = differences.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main();
