// A fetch whose responses a test writes, and a clock that it moves.

import { mock } from 'node:test';

/** Replaces the clock, for a suite: `pass` moves the time after everything that is ready has run. */
export function useClock() {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
}

/** Lets everything run that does not wait for time. */
export const settle = () => new Promise((resolve) => setImmediate(resolve)).then(() => new Promise((resolve) => setImmediate(resolve)));

/** Moves the time. */
export async function pass(milliseconds) {
  await settle();
  mock.timers.tick(milliseconds);
  await settle();
}

/** A response of JSON. */
export const respond = (body, status = 200, headers = {}) => new Response(
  typeof body === 'string' ? body : JSON.stringify(body),
  { status, headers: { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json', ...headers } },
);

/** A stream of SSE. The test sends text, ends it or lets it fail. */
export class EventStream {
  cancelled = false;
  #controller;
  response = new Response(new ReadableStream({
    start: (controller) => { this.#controller = controller; },
    cancel: () => { this.cancelled = true; },
  }), { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });

  send(text) {
    this.#controller.enqueue(typeof text === 'string' ? new TextEncoder().encode(text) : text);
  }

  event(result) {
    this.send(`event: next\ndata: ${JSON.stringify(result)}\n\n`);
  }

  end() {
    this.#controller.close();
  }

  fail(error = new TypeError('terminated')) {
    this.#controller.error(error);
  }
}

/** A fetch with a function for each request, in order. It records the bodies and the headers of the requests. */
export function fakeFetch(...answers) {
  const requests = [];
  const send = async (input, init = {}) => {
    requests.push({ url: String(input), body: init.body && JSON.parse(init.body), headers: new Headers(init.headers), signal: init.signal });
    const answer = answers.shift() ?? (() => { throw new Error('one request too many'); });
    if (init.signal?.aborted) throw init.signal.reason;
    return new Promise((resolve, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal.reason));
      Promise.resolve().then(answer).then(resolve, reject);
    });
  };
  return Object.assign(send, { requests });
}
