// What the streams of a gateway rarely do. test/e2e/streams.js has what every client does with a real one.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { ResponseError, TokenError, delay, events, withIdleTimeout, withToken } from 'pixgraph-client';
import { EventStream, fakeFetch, pass, respond, settle, useClock } from './network.js';

const operation = { query: 'subscription', variables: { id: '1' } };
const event = (reason, { status = 'PENDING', updatedAt = '2026-01-01T00:00:00Z', errors, final = reason === 'REACHED' } = {}) => ({
  data: { transaction: errors && !status ? null : { status, updatedAt } }, ...errors && { errors }, extensions: { live: { reason, final } },
});
const refused = { message: 'refused', extensions: { code: 'UNAUTHENTICATED', retryable: false } };

/** Collects the results of a subscription, and its end: an error, or undefined. */
function collect(send, options) {
  const collected = { reasons: [], results: [], retries: [] };
  collected.end = (async () => {
    for await (const result of events('/graphql', operation, { fetch: send, onRetry: (error) => collected.retries.push(error), ...options })) {
      collected.results.push(result);
      collected.reasons.push(result.extensions?.live?.reason);
    }
  })().then(() => undefined, (error) => error);
  return collected;
}

describe('events', () => {
  beforeEach(useClock);
  afterEach(() => mock.reset());

  test('of messages in pieces are whole', async () => {
    const stream = new EventStream();
    const { reasons, results, end } = collect(fakeFetch(() => stream.response));
    const bytes = new TextEncoder().encode(`:\n\nevent: next\ndata: ${JSON.stringify(event('SNAPSHOT', { status: 'é€😀' }))}\n\n`);
    for (const byte of bytes) stream.send(Uint8Array.of(byte));
    stream.send(`event: next\ndata: {"data":\ndata: null,"extensions":{"live":{"reason":"REACHED","final":true}}}\n\n`);
    assert.equal(await end, undefined);
    assert.deepEqual(reasons, ['SNAPSHOT', 'REACHED']);
    assert.equal(results[0].data.transaction.status, 'é€😀');
    assert.ok(stream.cancelled);
  });

  for (const [name, line, blank] of [['CRLF', '\r\n', ' '], ['CR', '\r', ' '], ['LF, without the blank after the colon', '\n', '']]) {
    test(`are those of messages with ${name}`, async () => {
      const text = (data) => ['event: next', ...data.map((part) => `data:${blank}${part}`), '', ''].join(line);
      const all = [':', '', text([`{"data":`, `{"transaction":{"status":"A"}}}`]), text([JSON.stringify(event('REACHED'))])].join(line);
      for (const size of [1, 2, 7, all.length]) {
        const stream = new EventStream();
        const { results, end } = collect(fakeFetch(() => stream.response));
        for (let i = 0; i < all.length; i += size) for (const piece of [all.slice(i, i + size), '']) stream.send(piece);
        assert.equal(await end, undefined);
        assert.deepEqual(results, [{ data: { transaction: { status: 'A' } } }, event('REACHED')]);
      }
    });
  }

  describe('of a router that drops extensions', () => {
    const bare = (status, more) => ({ data: { transaction: { status, ...more } } });
    const failed = (extensions) => ({ data: { transaction: null }, errors: [{ message: 'm', extensions }] });
    const complete = (stream) => { stream.send('event: complete\ndata:\n\n'); stream.end(); };

    /** Subscribes. Each connection has some results, and is completed unless its last result is the last one of all. */
    async function collectAll(variables, ...connections) {
      const streams = connections.map(() => new EventStream());
      const send = fakeFetch(...streams.map(({ response }) => () => response));
      const collected = [];
      const end = (async () => {
        const options = { fetch: withToken(async () => 'a', send) };
        for await (const result of events('/graphql', { query: 'subscription', variables }, options)) collected.push(result);
      })().then(() => undefined, (error) => error);
      for (const [i, stream] of streams.entries()) {
        for (const result of connections[i]) stream.event(result);
        await settle();
        if (!stream.cancelled) complete(stream);
        await pass(10_000);
      }
      return { collected, end: await end, since: send.requests.map(({ body }) => body.variables.since), cancelled: streams.at(-1).cancelled };
    }

    const pending = bare('PENDING', { updatedAt: '2026-01-01T00:00:01Z' });
    const old = { status: 'PAID', date: '2026-01-01T00:00:01Z' };
    const expired = failed(refused.extensions);
    const lost = { code: 'INTERNAL_SERVER_ERROR' };
    const stale = failed({ code: 'UPSTREAM_ERROR', retryable: true, retryAfterMs: 1000 });
    for (const [name, variables, connections, shown = connections.flat()] of [
      ['go on to the status of until', { until: ['PAID', 'FAILED'] }, [[pending, bare('PIX_QRCODE_GENERATED'), bare('FAILED')]]],
      ['go on to a single status', { until: 'PAID' }, [[pending, bare('PAID')]]],
      ['go on to an entry of the history, but not one of the first event', { until: ['PAID'] }, [
        [bare('REFUNDED', { updatedAt: '2026-01-01T00:00:01Z', statusHistory: [null, old] })],
        [bare('REFUNDED', { statusHistory: [old, { ...old, date: '2026-01-01T00:00:02Z' }] })],
      ]],
      ['go on after complete', { until: ['PAID'] }, [[pending], [bare('PAID')]]],
      ['end with the field live', {}, [[bare('PENDING', { live: { final: false } }), bare('PAID', { live: { final: true } })]]],
      ['go on while the gateway cannot read', { until: ['PAID'] }, [[pending, stale, bare('PAID')]]],
      ['begin again after an expired token', { until: ['PAID'] }, [[pending, expired], [bare('PAID')]], [pending, bare('PAID')]],
      ['begin again after a router has lost the gateway', { until: ['PAID'] },
        [[pending, failed(lost)], [{ errors: [{ message: '', extensions: lost }] }], [bare('PAID')]],
        [pending, bare('PAID')]],
      ['end with the error that they may not read', { until: ['PAID'] }, [[pending, failed({ code: 'FORBIDDEN', retryable: false })]]],
      ['end when the new token is refused too', { until: ['PAID'] }, [[expired], [expired]], [expired]],
    ]) {
      test(name, async () => {
        const { collected, end, since, cancelled } = await collectAll(variables, ...connections);
        assert.equal(end, undefined);
        assert.deepEqual(collected, shown);
        assert.deepEqual(since, connections.map((_, i) => (i > 0 && connections[0][0].data?.transaction?.updatedAt) || undefined));
        assert.ok(cancelled);
      });
    }
  });

  test('are read by a function that keeps their digits', async () => {
    const stream = new EventStream();
    const parse = (text) => JSON.parse(text.replace(/:(\d{16,})/, ':"$1"'));
    const { results, end } = collect(fakeFetch(() => stream.response), { parse });
    stream.send('data: {"data":{"transaction":{"amount":9007199254740993}},"extensions":{"live":{"reason":"REACHED","final":true}}}\n\n');
    assert.equal(await end, undefined);
    assert.equal(results[0].data.transaction.amount, '9007199254740993');
  });

  test('continue after the last change, also if an event has no record', async () => {
    const streams = [new EventStream(), new EventStream(), new EventStream()];
    const send = fakeFetch(...streams.map(({ response }) => () => response));
    const { end } = collect(send);
    streams[0].event(event('SNAPSHOT', { updatedAt: 't1' }));
    streams[0].event(event('STALE', { status: null, errors: [{ message: '' }] }));
    await settle();
    streams[0].fail();
    await pass(500);
    streams[1].event(event('SNAPSHOT', { updatedAt: 5 })); // not a time
    await settle();
    streams[1].end();
    await pass(1000);
    streams[2].event(event('REACHED'));
    assert.equal(await end, undefined);
    assert.deepEqual(send.requests.map(({ body }) => body.variables), [{ id: '1' }, { id: '1', since: 't1' }, { id: '1', since: 't1' }]);
  });

  test('come back with a new token when an event refuses it, but not if the new one is refused', async () => {
    const streams = [new EventStream(), new EventStream(), new EventStream()];
    const tokens = ['a', 'b', 'c'];
    const send = fakeFetch(...streams.map(({ response }) => () => response));
    const { reasons, end } = collect(withToken(async () => tokens.shift(), send));
    streams[0].event(event('SNAPSHOT'));
    streams[0].event(event('FAILED', { status: null, errors: [refused], final: true }));
    await pass(500);
    streams[1].event(event('SNAPSHOT'));
    await pass(60_000);
    streams[1].event(event('FAILED', { status: null, errors: [refused] }));
    await pass(500);
    streams[2].event(event('FAILED', { status: null, errors: [refused] }));
    assert.equal(await end, undefined);
    assert.deepEqual(reasons, ['SNAPSHOT', 'SNAPSHOT', 'FAILED']);
    assert.deepEqual(send.requests.map(({ headers }) => headers.get('authorization')), ['Bearer a', 'Bearer b', 'Bearer c']);
  });

  test('that an API refuses in part are shown with the errors after a renewal, and the stream continues', async () => {
    const streams = [new EventStream(), new EventStream()];
    const { reasons, end } = collect(fakeFetch(...streams.map(({ response }) => () => response)));
    streams[0].event(event('SNAPSHOT', { errors: [refused] }));
    await pass(500);
    for (const reason of ['SNAPSHOT', 'CHANGED', 'REACHED']) streams[1].event(event(reason, { errors: [refused] }));
    assert.equal(await end, undefined);
    assert.deepEqual(reasons, ['SNAPSHOT', 'CHANGED', 'REACHED']);
  });

  test('begin when the gateway says so', async () => {
    const stream = new EventStream();
    const busy = { errors: [{ message: '', extensions: { code: 'RATE_LIMITED', retryable: true, retryAfterMs: 7000 } }] };
    const send = fakeFetch(() => respond(busy, 429), () => respond('<html>', 502), () => { throw new TypeError('fetch failed'); }, () => stream.response);
    const { retries, end } = collect(send);
    await pass(6999);
    assert.equal(send.requests.length, 1);
    await pass(1);
    assert.equal(send.requests.length, 2);
    await pass(1000);
    await pass(2000);
    stream.event(event('REACHED'));
    assert.equal(await end, undefined);
    assert.deepEqual(retries.map((error) => error?.name), [undefined, 'ResponseError', 'TypeError']);
  });

  test('wait longer for each connection that does not last', async () => {
    const streams = Array.from({ length: 8 }, () => new EventStream());
    const send = fakeFetch(...streams.map(({ response }) => () => response));
    collect(send);
    for (const [i, longest] of [500, 1000, 2000, 4000, 8000, 10_000].entries()) {
      streams[i].event(event('SNAPSHOT'));
      await settle();
      streams[i].end();
      await pass(longest / 2 - 1);
      assert.equal(send.requests.length, i + 1);
      await pass(longest / 2 + 1);
    }
    await pass(10_001);
    streams[6].end();
    await pass(500);
    assert.equal(send.requests.length, 8);
  });

  for (const [after, page] of [['2592000', '<html>'], ['Thu, 01 Jan 2099 00:00:00 GMT', { errors: [{ message: '', extensions: null }] }]]) {
    test(`wait for Retry-After: ${after}, at most five minutes`, async () => {
      const send = fakeFetch(() => respond(page, 503, { 'retry-after': after }), () => respond('<html>', 404));
      const { end } = collect(send);
      await pass(299_999);
      assert.equal(send.requests.length, 1);
      await pass(1);
      assert.equal((await end).status, 404);
    });
  }

  const mistaken = new TypeError('mistake');
  const streamOf = (text) => () => new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  for (const [name, answer, check, options] of [
    ['an invalid URL', () => { throw new TypeError('fetch failed', { cause: Object.assign(new TypeError(), { code: 'ERR_INVALID_URL' }) }); },
      (error) => error instanceof TypeError],
    ['a page of another server', () => respond('<html>', 404), (error) => error instanceof ResponseError && error.status === 404],
    ['JSON of another server', () => respond({ message: 'Not Found' }, 404), (error) => error instanceof ResponseError],
    ['a mistake', () => { throw new RangeError('mistake'); }, (error) => error instanceof RangeError],
    ['an event of another server', streamOf('data: null\n\n'), (error) => error instanceof ResponseError && error.status === 200],
    ['a mistake in parse', streamOf('data: {}\n\n'), ({ name, cause }) => name === 'ResponseError' && cause === mistaken,
      { parse: () => { throw mistaken; } }],
    ['errors without extensions', () => respond({ errors: [null, { message: '', extensions: null }] }, 400), (error) => error === undefined],
  ]) {
    test(`end after ${name}`, async () => {
      const send = fakeFetch(answer);
      assert.ok(check(await collect(send, options).end));
      assert.equal(send.requests.length, 1);
    });
  }

  test('end with a variable that has no form in JSON', async () => {
    const send = fakeFetch();
    await assert.rejects(events('/graphql', { variables: { id: 1n } }, { fetch: send }).next(), /BigInt/);
    assert.equal(send.requests.length, 0);
  });

  test('of long messages are searched for line ends once', async () => {
    const stream = new EventStream();
    const { end } = collect(fakeFetch(() => stream.response));
    const searched = [];
    const split = String.prototype.split;
    mock.method(String.prototype, 'split', function record(...of) {
      searched.push(this.length);
      return split.apply(this, of);
    });
    for (let i = 0; i < 100; i++) stream.send(i > 0 ? 'x'.repeat(1000) : 'data: {"data":{"a":{"id":"');
    stream.send(`"}},"extensions":{"live":{"final":true}}}\n\n`);
    assert.equal(await end, undefined);
    assert.ok(Math.max(...searched) <= 1000);
  });

  test('end if the token cannot be renewed, but not if the network is lost', async () => {
    const stream = new EventStream();
    const errors = [new TypeError('fetch failed'), new Error('signed out')];
    const renew = async () => { throw errors.shift(); };
    const { retries, end } = collect(withToken(renew, fakeFetch(() => stream.response)));
    await pass(500);
    const error = await end;
    assert.ok(error instanceof TokenError);
    assert.deepEqual([error.message, retries.length], ['signed out', 1]);
  });

  for (const [name, renew, message] of [
    ['a page with a line break', async () => '<html>\nsecret', 'renew returned no token'],
    ['nothing', async () => undefined, 'renew returned no token'],
    ['at once', () => { throw new Error('signed out'); }, 'signed out'],
  ]) {
    test(`end if the renewal fails with ${name}, whose text is not shown`, async () => {
      const send = fakeFetch();
      const error = await collect(withToken(renew, send)).end;
      assert.deepEqual([error.name, error.message, send.requests.length], ['TokenError', message, 0]);
    });
  }

  test('end at once when their signal aborts during a renewal', async () => {
    const control = new AbortController();
    const { end } = collect(withToken(() => new Promise(() => {}), fakeFetch()), { signal: control.signal });
    await settle();
    control.abort(new Error('stop'));
    assert.equal((await end).message, 'stop');
  });

  for (const when of ['before the first request', 'during a request', 'during a stream', 'during a stream of a fetch without signals', 'while they wait']) {
    test(`end at once when their signal aborts ${when}`, async () => {
      const control = new AbortController();
      const stream = new EventStream();
      const answers = { 'during a request': () => new Promise(() => {}), 'while they wait': () => { throw new TypeError(); } };
      const send = fakeFetch(answers[when] ?? (() => stream.response));
      if (when === 'before the first request') control.abort(new Error('stop'));
      const { end } = collect(withIdleTimeout(send), { signal: control.signal });
      await settle();
      control.abort(new Error('stop'));
      if (when === 'during a stream') stream.fail(control.signal.reason); // as fetch does
      assert.equal((await end).message, 'stop');
      if (when.startsWith('during a stream of')) assert.ok(stream.cancelled);
    });
  }

  test('stop when the loop is left', async () => {
    const stream = new EventStream();
    const all = events('/graphql', operation, { fetch: fakeFetch(() => stream.response) });
    stream.event(event('SNAPSHOT'));
    for await (const { extensions } of all) {
      assert.equal(extensions.live.reason, 'SNAPSHOT');
      break;
    }
    assert.ok(stream.cancelled);
  });
});

describe('withIdleTimeout', () => {
  beforeEach(useClock);
  afterEach(() => mock.reset());
  const request = { headers: { accept: 'text/event-stream' } };

  test('fails a stream that is silent, and only while it is read', async () => {
    const stream = new EventStream();
    const send = fakeFetch(() => stream.response);
    const reader = (await withIdleTimeout(send, 1000)('/graphql', request)).body.getReader();
    await pass(5000); // nobody reads
    for (let i = 0; i < 3; i++) {
      const read = reader.read();
      await pass(999);
      stream.send(':\n\n');
      assert.equal((await read).value.length, 3);
    }
    const failed = assert.rejects(reader.read(), (error) => error instanceof TypeError && error.message === 'the connection is idle');
    await pass(1000);
    await failed;
    assert.ok(send.requests[0].signal.aborted && stream.cancelled); // also if fetch ignores the signal
  });

  test('fails a request for a stream that gets no response', async () => {
    const response = withIdleTimeout(fakeFetch(() => new Promise(() => {})), 1000)('/graphql', request);
    const rejected = assert.rejects(response, TypeError);
    await pass(1000);
    await rejected;
  });

  test('leaves no listener after an answer that is no stream', async () => {
    let listeners = 0;
    const { signal } = new AbortController();
    signal.addEventListener = () => { listeners++; };
    signal.removeEventListener = () => { listeners--; };
    for (const answer of [() => respond({}, 503), () => new Response(null, { status: 204 })]) {
      await (await withIdleTimeout(fakeFetch(answer))('/graphql', { ...request, signal })).text();
      assert.equal(listeners, 0);
    }
  });

  test('ends with the signal of a Request', async () => {
    const control = new AbortController();
    const send = fakeFetch(() => new Promise(() => {}));
    const end = withIdleTimeout(send)(new Request('http://localhost/graphql', { ...request, signal: control.signal })).catch((error) => error);
    control.abort(new Error('stop'));
    assert.equal((await end).message, 'stop');
  });

  test('leaves other requests alone', async () => {
    let answer;
    const send = withIdleTimeout(fakeFetch(() => new Promise((resolve) => { answer = resolve; })), 1000);
    const response = send('/graphql', { headers: { accept: 'application/json, text/event-stream, multipart/mixed' } }); // as urql
    await pass(5000);
    answer(respond({ data: {} }));
    assert.deepEqual(await (await response).json(), { data: {} });
  });
});

describe('withToken', () => {
  beforeEach(useClock);
  afterEach(() => mock.reset());

  const partly = (...services) => respond({ data: {}, errors: services.map((service) => ({ message: '', extensions: { code: 'UNAUTHENTICATED', service } })) });
  const gatewayRefuses = () => respond({ errors: [refused] }, 401);
  for (const [name, answers, requests, renewals] of [
    ['an API that refuses every token renews it once', Array(20).fill(() => partly('dispatcher', 'dispatcher')), 21, 2],
    ['APIs that refuse every token renew it once each', Array(10).fill([() => partly('core'), () => partly('core', 'dispatcher')]).flat(), 22, 3],
    ['a gateway that refuses every token renews it once', Array(20).fill(gatewayRefuses), 21, 2],
  ]) {
    test(name, async () => {
      let renewed = 0;
      let sent = 0;
      let current = answers[0];
      const send = withToken(async () => `t${renewed++}`, async () => {
        sent++;
        return current();
      });
      for (current of answers) await send('/graphql');
      assert.deepEqual([sent, renewed], [requests, renewals]);
      await pass(30_000);
      await send('/graphql');
      assert.equal(renewed, renewals + 1);
    });
  }

  test('renews tokens that expire within seconds', async () => {
    const tokens = [1, 2, 3, 4, 5, 6];
    const used = new Set();
    const send = withToken(async () => `t${tokens.shift()}`, async (_, { headers }) => {
      const token = headers.get('authorization');
      return used.has(token) ? gatewayRefuses() : respond({}, used.add(token) && 200);
    });
    for (let i = 0; i < 6; i++) assert.equal((await send('/graphql')).status, 200);
    assert.deepEqual(tokens, []);
  });

  test('does not read a download before its client does', async () => {
    const body = new ReadableStream({ pull: () => new Promise(() => {}) });
    const send = fakeFetch(() => new Response(body, { headers: { 'content-type': 'application/x-ndjson' } }));
    assert.equal((await withToken(async () => 'a', send)('/graphql')).body, body);
  });

  test('removes the line break after a token', async () => {
    const send = fakeFetch(() => respond({}));
    await withToken(async () => 'a\n', send)('/graphql');
    assert.equal(send.requests[0].headers.get('authorization'), 'Bearer a');
  });

  test('sends a Request again', async () => {
    const texts = [];
    const send = async (input) => {
      texts.push(await input.text());
      return respond({}, texts.length === 1 ? 401 : 200);
    };
    const request = new Request('http://localhost/graphql', { method: 'POST', body: 'text', headers: { 'x-a': 'b' } });
    assert.equal((await withToken(async () => 'a', send)(request)).status, 200);
    assert.deepEqual(texts, ['text', 'text']);
  });
});

test('delay is random, grows and has a limit', () => {
  for (const [retries, longest] of [[0, 500], [1, 1000], [4, 8000], [5, 10_000], [1000, 10_000]]) {
    for (let i = 0; i < 100; i++) assert.ok(delay(retries) >= longest / 2 && delay(retries) <= longest);
  }
});
