import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { ExecutionResult } from "graphql";
import { Answers } from "../src/live/answers.ts";
import { nextRead, Stream } from "../src/live/stream.ts";
import { resumed } from "../src/live/resume.ts";
import { maxTries, subscription, type Rejection, type Resume, type Source } from "../src/live/subscribe.ts";

const asked = { query: "subscription { payment { status } }", operationName: null };
const encoder = new TextEncoder();

/** A stream with these pieces. It fails at its end if the connection is lost. */
function bodyOf(pieces: string[], lost = false): Response {
  const rest = [...pieces];
  return streamOf(new ReadableStream({
    pull(controller) {
      const piece = rest.shift();
      if (piece !== undefined) controller.enqueue(encoder.encode(piece));
      else if (lost) controller.error(new TypeError("network error"));
      else controller.close();
    },
  }));
}

function streamOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): Response {
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

/** An event of the gateway. */
function next(reason: string, status: string | null, more: Partial<ExecutionResult> = {}, updatedAt?: string): string {
  const final = reason === "REACHED" || reason === "FAILED";
  const live = { reason, observedAt: "2026-11-22T11:00:00.000Z", nextPollMs: final ? null : 900, final };
  const data = { payment: status === null ? null : { status, updatedAt } };
  return `event: next\ndata: ${JSON.stringify({ data, ...more, extensions: { live } })}\n\n`;
}

const refused = next("FAILED", null, { errors: [{ message: "the token has expired", extensions: { code: "UNAUTHENTICATED" } } as never] });
const complete = "event: complete\ndata:\n\n";

const unreachable: Rejection = { result: { errors: [{ message: "no response" } as never] }, retryable: true };

/** Lets everything run that does not wait for time. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits for something whose pauses take no time. */
async function inNoTime<Value>(promise: Promise<Value>): Promise<Value> {
  mock.timers.enable({ apis: ["setTimeout"] });
  let ended = false;
  const end = promise.finally(() => (ended = true));
  while (!ended) {
    await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(10_000);
  }
  mock.timers.reset();
  return end;
}

/** Runs a subscription whose connections have these bodies, until it ends. */
async function run(connections: (Response | Rejection)[], renews = false) {
  const answers = new Answers();
  const shown: ExecutionResult[] = [];
  let lost = 0;
  let renewals = 0;
  const refusals: string[] = [];
  const resumes: (Resume | null)[] = [];
  const source: Source = {
    open: async (_signal, resume) => {
      resumes.push(resume);
      return connections.shift() ?? unreachable;
    },
    renew: async () => (renewals++, renews),
    refused: (refusal) => void refusals.push(refusal),
    lost: () => void lost++,
  };
  await inNoTime(new Promise<void>((resolve, reject) => {
    subscription(asked, answers, source).subscribe({
      next: (result) => void shown.push(result), error: reject, complete: resolve,
    });
  }));
  const last = shown.at(-1);
  const { stream } = answers.of(JSON.stringify(last, null, 2)) ?? { stream: null };
  return { shown, answers, lost: () => lost, renewals, refusals, resumes, state: stream?.state.get() };
}

test("events are listed with reason and time, the newest first, and the newest is shown", async () => {
  const { shown, state, lost } = await run([bodyOf([next("SNAPSHOT", "PENDING"), next("CHANGED", "PAID") + next("REACHED", "PAID"), complete])]);
  assert.deepEqual(shown.map(({ data }) => data), [{ payment: { status: "PENDING" } }, { payment: { status: "PAID" } }, { payment: { status: "PAID" } }]);
  assert.deepEqual(state?.events.map(({ number, reason, status }) => [number, reason, status]), [
    [3, "REACHED", "PAID"], [2, "CHANGED", "PAID"], [1, "SNAPSHOT", "PENDING"],
  ]);
  assert.equal(state?.events[0]?.observedAt, "2026-11-22T11:00:00.000Z");
  assert.equal(state?.end, "Ended: a status of “until” was reached");
  assert.equal(lost(), 0);
});

test("an event that failed ends the stream with its error", async () => {
  const forbidden = next("FAILED", null, { errors: [{ message: "no scope", extensions: { code: "FORBIDDEN" } } as never] });
  const { state, renewals } = await run([bodyOf([next("SNAPSHOT", "PENDING"), forbidden, complete])]);
  assert.equal(state?.end, "Ended: no scope");
  assert.equal(renewals, 0);
});

test("a stream whose token expires continues with a new token", async () => {
  const { state, shown } = await run([bodyOf([next("SNAPSHOT", "PENDING"), refused], true), bodyOf([next("REACHED", "PAID"), complete])], true);
  assert.deepEqual(state?.events.map(({ reason }) => reason), ["REACHED", "SNAPSHOT"]);
  assert.equal(shown.length, 2);
});

test("a stream whose token expires ends with the refusal, if there is no other token", async () => {
  const { state, lost, refusals } = await run([bodyOf([next("SNAPSHOT", "PENDING"), refused], true)]);
  assert.equal(state?.end, "Ended: the token has expired");
  assert.deepEqual(state?.events.map(({ reason }) => reason), ["FAILED", "SNAPSHOT"]);
  assert.deepEqual(refusals, ["the token has expired"]);
  assert.equal(lost(), 0);
});

test("a new token that is refused too is not renewed again and again", async () => {
  const { state, renewals, refusals } = await run([bodyOf([refused]), bodyOf([refused])], true);
  assert.equal(state?.end, "Ended: the token has expired");
  assert.equal(renewals, 1);
  assert.deepEqual(refusals, ["the token has expired"]);
});

test("a lost connection is opened again after the last change", async () => {
  for (const fails of [true, false]) {
    const first = bodyOf([next("SNAPSHOT", "PENDING", {}, "2026-11-22T10:59:00.000Z") + next("STALE", null)], fails);
    const { state, shown, lost, resumes } = await run([first, unreachable, bodyOf([], fails), bodyOf([next("REACHED", "PAID"), complete])]);
    assert.equal(state?.end, "Ended: a status of “until” was reached");
    assert.deepEqual(state.events.map(({ reason }) => reason), ["REACHED", "STALE", "SNAPSHOT"]);
    const resume = { since: "2026-11-22T10:59:00.000Z" };
    assert.deepEqual(resumes, [null, resume, resume, resume]);
    assert.equal(shown.length, 3, "the failed try is not shown");
    assert.equal(lost(), 0);
  }
});

test("an event begins the tries again, and after the last one the connection is lost", async () => {
  const { state, shown, lost, resumes } = await run([
    bodyOf([next("SNAPSHOT", "PENDING")]), unreachable, bodyOf([next("SNAPSHOT", "PENDING")]),
  ]);
  assert.equal(state?.end, "Ended: the connection was lost. Run it again to continue");
  assert.equal(shown.length, 2, "the last event stays");
  assert.equal(lost(), 1);
  assert.deepEqual(resumes.at(-1), { since: null });
  assert.equal(resumes.length, 1 + 2 + maxTries);
  const { shown: [nothing] } = await run([bodyOf([], true)]);
  assert.match(nothing?.errors?.[0]?.message ?? "", /lost before the first event/);
});

test("a stream that is rejected when it comes back ends, and its events stay", async () => {
  const rejected: Rejection = { result: { errors: [{ message: "no token" } as never] }, retryable: false };
  const { state, shown, resumes } = await run([bodyOf([next("SNAPSHOT", "PENDING")]), rejected]);
  assert.equal(state?.end, "Ended: no token");
  assert.deepEqual([shown.length, resumes.length], [1, 2]);
});

test("a request continues after a time, in the argument since of its only field", () => {
  const at = (query: string, variables?: Record<string, unknown>) => (
    resumed({ query, operationName: "Q", ...(variables && { variables }) }, "2026-11-22T11:00:00.000Z"));
  const compact = (query: string) => at(query).query.replace(/\s+/g, " ").trim();
  const since = 'since: "2026-11-22T11:00:00.000Z"';
  assert.equal(compact("subscription Q { transaction(id: 1) { id } }"), `subscription Q { transaction(id: 1, ${since}) { id } }`);
  assert.equal(compact('subscription Q { transaction(since: "x", id: 1) { id } }'), `subscription Q { transaction(id: 1, ${since}) { id } }`);
  assert.equal(
    compact("query P { a } subscription Q { ... { ...F } } fragment E on S { a } fragment F on S { b(id: 1) { a } }"),
    `query P { a } subscription Q { ... { ...F } } fragment E on S { a } fragment F on S { b(id: 1, ${since}) { a } }`,
  );
  const query = "subscription Q($t: DateTime) { transaction(id: 1, since: $t) { id } }";
  assert.deepEqual(at(query, { id: 1 }), { query, operationName: "Q", variables: { id: 1, t: "2026-11-22T11:00:00.000Z" } });
});

test("a subscription that is rejected shows the answer", async () => {
  for (const retryable of [true, false]) {
    const result = { errors: [{ message: "too many streams" } as never] };
    const { shown, resumes } = await run([{ result, retryable }]);
    assert.deepEqual([shown, resumes], [[result], [null]]);
  }
});

test("a stream that is stopped while the page reconnects makes no further try", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const signals: AbortSignal[] = [];
  const { unsubscribe } = subscription(asked, null, {
    open: async (signal) => (signals.push(signal), bodyOf([])),
    renew: async () => false, refused: assert.fail, lost: () => assert.fail("lost"),
  }).subscribe({ next: () => assert.fail("next"), error: assert.fail, complete: () => assert.fail("complete") });
  await settled();
  mock.timers.tick(10_000);
  await settled();
  assert.equal(signals.length, 2, "it reconnects");
  unsubscribe();
  mock.timers.tick(10_000);
  await settled();
  mock.timers.reset();
  assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true]);
});

test("a stopped stream ends its connection, and shows nothing more", async () => {
  const answers = new Answers();
  const shown: ExecutionResult[] = [];
  let signal: AbortSignal | undefined;
  let send: (text: string) => void = () => {};
  const began = new Promise<void>((resolve) => {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({ start: (controller) => void (send = (text) => controller.enqueue(encoder.encode(text))) });
    const { unsubscribe } = subscription(asked, answers, {
      open: async (given) => ((signal = given), streamOf(body)), renew: async () => false, refused: assert.fail, lost: () => assert.fail("lost"),
    }).subscribe({
      next(result) {
        shown.push(result);
        unsubscribe();
        send(next("CHANGED", "PAID"));
        setImmediate(resolve);
      },
      error: assert.fail, complete: () => assert.fail("complete"),
    });
    send(next("SNAPSHOT", "PENDING"));
  });
  await began;
  assert.equal(shown.length, 1);
  assert.equal(signal?.aborted, true);
  assert.equal(answers.of(JSON.stringify(shown[0], null, 2))?.stream?.state.get().end, "Stopped");
});

test("the list of events is bounded, in number and in size", () => {
  const stream = new Stream(asked);
  for (let n = 0; n < 250; n++) stream.add({ data: { n } }, "");
  const { events, count } = stream.state.get();
  assert.deepEqual([events.length, count, events[0]?.number, events.at(-1)?.number], [100, 250, 250, 151]);
  for (let n = 0; n < 5; n++) stream.add({ data: { text: "x ".repeat(1_000_000) } }, "");
  assert.equal(stream.state.get().events.length, 1);
  stream.add({ data: { text: "x ".repeat(3_000_000) } }, "");
  assert.equal(stream.state.get().events.length, 1, "the newest event is always kept");
});

test("a base64 value is folded in the shown event, and whole in the listed one", () => {
  const stream = new Stream(asked);
  const event = stream.add({ data: { image: "A".repeat(400) } }, "");
  const answers = new Answers();
  answers.add(stream);
  assert.match(event.folded, /… \(400 characters\)/);
  assert.equal(answers.of(event.folded)?.answered, event);
});

test("the time until the next read is told, and a silent connection", () => {
  const state = { events: [], count: 1, due: 5000, tries: 0, end: null };
  assert.equal(nextRead(state, 4000, 4100), "Next read in 1 s");
  assert.equal(nextRead(state, 4000, 5000), "Reading again; no change so far");
  assert.equal(nextRead(state, 4000, 44_000), "Nothing has arrived for 40 s. The connection may be lost.");
  assert.equal(nextRead({ ...state, end: "Stopped" }, 4000, 44_000), "");
});
