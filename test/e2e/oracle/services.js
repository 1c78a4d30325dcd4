// The REST APIs for both sides: the sandbox's responses, each stored when it is first received. So no record changes during
// the comparison. Some records are made invalid (spoil.js), so that there are errors to compare.

import http from 'node:http';

import { parse } from './json.js';
import { Spoiler } from './spoil.js';

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

  #spoiler;

  /** @param {number} seed decides which records are invalid, and how */
  constructor(sandbox, seed) {
    this.#sandbox = sandbox;
    this.#spoiler = new Spoiler(seed);
  }

  async start() {
    this.#server = http.createServer((request, response) => this.#serve(request, response));
    this.#server.keepAliveTimeout = 0;
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${this.#server.address().port}`;
    this.coreURL = `${base}/core`;
    this.dispatcherURL = `${base}/dispatcher`;
  }

  /** Changes all records: those of another seed are invalid. */
  change(seed) {
    this.#spoiler = new Spoiler(seed);
    this.#kept.clear();
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
        if (this.#kept.get(key) === kept) this.#kept.set(key, answer); // not after a change
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
    // The dispatcher of the comparison ignores case: a record can be found by ids that differ.
    if (service === 'dispatcher') rest[1] = rest[1]?.toLowerCase();
    const url = new URL(`${service === 'core' ? this.#sandbox.coreURL : this.#sandbox.dispatcherURL}/${rest.join('/')}`);
    url.search = query;
    const size = query.get('perPage');
    if (/^(deposit|withdrawal)$/.test(rest[0]) && sizes.has(size)) url.searchParams.set('perPage', sizes.get(size));
    const failed = this.#spoiler.failureOf(rest);
    if (failed) return { status: failed.status, body: failed.body, value: failed.status === 200 ? valueOf(failed.body) : null };
    const response = await fetch(url, { headers: { authorization: `Bearer ${this.#sandbox.token}` } });
    const text = await response.text();
    if (response.status !== 200) return { status: response.status, body: text, value: null };
    const body = this.#spoiler.spoiled(parse(text), rest[0]);
    return { status: 200, body, value: parse(body) };
  }
}

/** The value of a body; undefined if it is not JSON. */
function valueOf(body) {
  try {
    return parse(body);
  } catch {
    return undefined;
  }
}
