// The REST APIs for both sides: the sandbox's responses, each stored when it is first received. So no record changes during
// the comparison. Some records are made invalid, always in the same way, so that there are errors to compare.

import http from 'node:http';

import { parse, write } from './json.js';
import { Random } from './random.js';

// The sizes of pages, smaller than the sandbox's, so that the stored responses are smaller: by default, and instead of the
// 100 that a sum requests.
const sizes = new Map([[null, 5], ['100', 12]]);

/** Responses of the two APIs, over HTTP for the gateway and as parsed values for the reference. */
export class Services {
  #sandbox; // a Gateway with its sandbox
  // Key: path and sorted query. Filled by the calls of both sides, emptied at the end of the run. Bound: the filters and
  // pages that the lists in values.js allow, some thousands, each with at most 20 KB.
  #kept = new Map();
  #server;

  constructor(sandbox) {
    this.#sandbox = sandbox;
  }

  async start() {
    this.#server = http.createServer((request, response) => this.#serve(request, response));
    this.#server.keepAliveTimeout = 0;
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${this.#server.address().port}`;
    this.coreURL = `${base}/core`;
    this.dispatcherURL = `${base}/dispatcher`;
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request, response) {
    try {
      const [path, query = ''] = request.url.split('?');
      const { status, body } = await this.get(path, new URLSearchParams(query));
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
    } catch (error) {
      response.writeHead(500).end(error.message);
    }
  }

  /**
   * The response to a GET, or a promise of it if it is not stored yet.
   *
   * @param {string} path such as '/core/deposit'
   * @param {URLSearchParams} query
   * @returns {{ status: number, body: string, value: any } | Promise<{ status: number, body: string, value: any }>}
   */
  get(path, query) {
    query.sort();
    const key = `${path}?${query}`;
    let kept = this.#kept.get(key);
    if (!kept) {
      kept = this.#fetch(path, query).then((answer) => {
        this.#kept.set(key, answer);
        return answer;
      });
      this.#kept.set(key, kept);
    }
    return kept;
  }

  /** The number of stored responses. */
  get size() {
    return this.#kept.size;
  }

  async #fetch(path, query) {
    const [, service, ...rest] = path.split('/');
    const url = new URL(`${service === 'core' ? this.#sandbox.coreURL : this.#sandbox.dispatcherURL}/${rest.join('/')}`);
    url.search = query;
    const size = query.get('perPage');
    if (/^(deposit|withdrawal)$/.test(rest[0]) && sizes.has(size)) url.searchParams.set('perPage', sizes.get(size));
    const response = await fetch(url, { headers: { authorization: `Bearer ${this.#sandbox.token}` } });
    const text = await response.text();
    if (response.status !== 200) return { status: response.status, body: text, value: null };
    const value = broken(parse(text), rest[0]);
    return { status: 200, body: write(value), value };
  }
}

// The values that replace others in an invalid record.
const odd = [
  'null', 'true', '""', '"PAID"', '"NEW_STATUS"', '"UNKNOWN"', '"\\u00e9\\n<\\"\\\\ "', '"\\ud83d\\ude00"', '"\\ud800"',
  '[]', '[null]', '[1, "a", {}]',
  '{}', '{"value": "v"}', '{"__typename": "x", "__proto__": null}', '0', '-0', '1500.0', '1.5e3', '12.50', '9007199254740993',
  '9223372036854775807', '9223372036854775808', '1E400', '-9223372036854775808',
];

/** Makes a third of the records of a response invalid. */
function broken(value, route) {
  const list = value.get('data');
  if (!list) return brokenRecord(value, route === 'request' ? ['id', 'referenceId'] : ['id']);
  const records = list.map((record) => {
    const random = new Random(hash(record.get('id')), 1);
    if (random.percent(4)) return parse(random.of(['null', '5', '[]', '"x"'])); // not a record
    return brokenRecord(record, ['id']);
  });
  return value.set('data', records);
}

function brokenRecord(record, spared) {
  const id = record.get('id');
  shorten(record);
  const random = new Random(hash(id), 2);
  while (random.percent(40)) {
    const places = placesOf(record, []).filter(({ path }) => !spared.includes(path[0]));
    const { parent, key } = random.of(places);
    const value = parse(random.of(odd));
    if (Array.isArray(parent)) parent[key] = value;
    else if (random.percent(20)) parent.delete(key);
    else parent.set(key, value);
  }
  return record;
}

/** Removes the images of QR codes: they are most of a page, and plain text. */
function shorten(record) {
  record.get('pixResponse')?.set?.('qrCodeBase64', 'data:,');
}

/** Every position of a value in a tree, including free-form values. */
function placesOf(value, path) {
  const entries = value instanceof Map ? [...value] : Array.isArray(value) ? [...value.entries()] : [];
  return entries.flatMap(([key, child]) => [{ parent: value, key, path: [...path, key] }, ...placesOf(child, [...path, key])]);
}

function hash(text) {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return h >>> 0;
}
