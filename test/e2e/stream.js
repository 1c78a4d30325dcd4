// A stream of a client as a test sees it: its results so far, and its end.

import assert from 'node:assert/strict';

// Longer than the 15 seconds between heartbeats, on a busy machine. A client that comes back too early is not an error.
const silence = 25_000;

/** A subscription of a client to a payment of its own, with tokens and a network of its own. */
export class Stream {
  results = [];
  /** The tokens that the client asked for. */
  tokens = [];
  /** The error of the client, once it has ended. */
  failed;
  #name;
  #ended = false;
  #wake = () => {};
  #stop;

  constructor(name, id, network) {
    this.#name = name;
    this.id = id;
    this.network = network;
  }

  /** Begins it. `mint` returns its next token. */
  begin(watch, mint, until) {
    this.#stop = watch({
      url: this.network.url,
      silence,
      variables: { id: this.id, until },
      renew: async () => {
        const token = await mint(this.tokens.length);
        this.tokens.push(token);
        return token;
      },
      next: (result) => this.#note(() => this.results.push(result)),
      end: (error) => this.#note(() => { this.#ended = true; this.failed = error; }),
    });
    return this;
  }

  #note(change) {
    change();
    this.#wake();
  }

  /** The reasons of the events so far. */
  get reasons() {
    return this.results.map(({ extensions }) => extensions?.live?.reason);
  }

  /** Waits until a condition is true. */
  async when(condition) {
    while (!condition()) {
      assert.ok(!this.#ended, `${this}: ended`);
      await new Promise((resolve) => { this.#wake = resolve; });
    }
  }

  /** Waits for an event with a reason, the nth one. */
  async event(reason, nth = 1) {
    await this.when(() => this.reasons.filter((each) => each === reason).length >= nth);
  }

  /** Waits for the end. */
  async end() {
    while (!this.#ended) await new Promise((resolve) => { this.#wake = resolve; });
    this.network.close();
  }

  stop() {
    if (!this.#ended) this.#stop();
    this.network.close();
  }

  toString() {
    return `${this.#name}, ${this.failed}, ${JSON.stringify(this.results)}`;
  }
}
