import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExecutionResult } from "graphql";
import { Answers } from "../src/answer/answers.ts";
import { messagesIn } from "../src/live/sse.ts";
import { nextRead, Stream } from "../src/live/stream.ts";
import { subscription, type Source } from "../src/live/subscribe.ts";

const encoder = new TextEncoder();

/** A body with these pieces. It fails at its end if the connection is lost. */
function bodyOf(pieces: (string | Uint8Array)[], lost = false): ReadableStream<Uint8Array> {
  const rest = [...pieces];
  return new ReadableStream({
    pull(controller) {
      const piece = rest.shift();
      if (piece !== undefined) controller.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece);
      else if (lost) controller.error(new TypeError("network error"));
      else controller.close();
    },
  });
}

/** An event of the gateway. */
function next(reason: string, status: string | null, more: Partial<ExecutionResult> = {}): string {
  const final = reason === "REACHED" || reason === "FAILED";
  const live = { reason, observedAt: "2026-11-22T11:00:00.000Z", nextPollMs: final ? null : 900, final };
  const data = { payment: status === null ? null : { status } };
  return `event: next\ndata: ${JSON.stringify({ data, ...more, extensions: { live } })}\n\n`;
}

const refused = next("FAILED", null, { errors: [{ message: "the token has expired", extensions: { code: "UNAUTHENTICATED" } } as never] });
const complete = "event: complete\ndata:\n\n";

/** Runs a subscription whose connections have these bodies, until it ends. */
async function run(connections: (ReadableStream<Uint8Array> | ExecutionResult)[], renews = false) {
  const answers = new Answers();
  const shown: ExecutionResult[] = [];
  let lost = 0;
  const renewed: string[] = [];
  const source: Source = {
    open: async () => connections.shift() ?? assert.fail("one more connection"),
    renew: async (refusal) => {
      renewed.push(refusal);
      return renews;
    },
    lost: () => void lost++,
  };
  await new Promise<void>((resolve, reject) => {
    subscription("subscription { payment { status } }", answers, source).subscribe({
      next: (result) => void shown.push(result), error: reject, complete: resolve,
    });
  });
  const last = shown.at(-1);
  const { stream } = answers.of(JSON.stringify(last, null, 2)) ?? { stream: null };
  return { shown, answers, lost: () => lost, renewed, connections, state: stream?.state.get() };
}

test("server-sent events are read from any pieces, without comments, until the last complete one", async () => {
  const bytes = encoder.encode(":\n\nevent: next\r\ndata: {\"a\":\r\ndata: \"ç\"}\r\n\r\n:\n\nevent: complete\ndata:\n\nevent: next\ndata: cut");
  for (const size of [1, 2, 7, bytes.length]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.slice(n * size, (n + 1) * size));
    let heard = 0;
    const found = [];
    for await (const message of messagesIn(bodyOf(pieces), () => void heard++)) found.push(message);
    assert.deepEqual(found, [{ event: "next", data: '{"a":\n"ç"}' }, { event: "complete", data: "" }]);
    assert.equal(heard, pieces.length);
  }
});

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
  const { state, renewed } = await run([bodyOf([next("SNAPSHOT", "PENDING"), forbidden, complete])]);
  assert.equal(state?.end, "Ended: no scope");
  assert.deepEqual(renewed, []);
});

test("a stream whose token expires continues with a new token", async () => {
  const { state, shown } = await run([bodyOf([next("SNAPSHOT", "PENDING"), refused], true), bodyOf([next("REACHED", "PAID"), complete])], true);
  assert.deepEqual(state?.events.map(({ reason }) => reason), ["REACHED", "SNAPSHOT"]);
  assert.equal(shown.length, 2);
});

test("a stream whose token expires ends with the refusal, if there is no other token", async () => {
  const { state, lost, renewed } = await run([bodyOf([next("SNAPSHOT", "PENDING"), refused], true)]);
  assert.equal(state?.end, "Ended: the token has expired");
  assert.deepEqual(state?.events.map(({ reason }) => reason), ["FAILED", "SNAPSHOT"]);
  assert.deepEqual(renewed, ["the token has expired"]);
  assert.equal(lost(), 0);
});

test("a new token that is refused too is not renewed again and again", async () => {
  const { state, renewed } = await run([bodyOf([refused]), bodyOf([refused, complete])], true);
  assert.equal(state?.end, "Ended: the token has expired");
  assert.equal(renewed.length, 1);
});

test("a connection that ends before the last event is lost", async () => {
  for (const fails of [true, false]) {
    const { state, shown, lost } = await run([bodyOf([next("SNAPSHOT", "PENDING")], fails)]);
    assert.equal(state?.end, "Ended: the connection was lost. Run it again to continue");
    assert.equal(shown.length, 1, "the last event stays");
    assert.equal(lost(), 1);
  }
  const { shown } = await run([bodyOf([], true)]);
  assert.match(shown[0]?.errors?.[0]?.message ?? "", /lost before the first event/);
});

test("a subscription that is rejected shows the answer", async () => {
  const rejected = { errors: [{ message: "too many streams" } as never] };
  const { shown } = await run([rejected]);
  assert.deepEqual(shown, [rejected]);
});

test("a stopped stream ends its connection, and shows nothing more", async () => {
  const answers = new Answers();
  const shown: ExecutionResult[] = [];
  let signal: AbortSignal | undefined;
  let send: (text: string) => void = () => {};
  const began = new Promise<void>((resolve) => {
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (send = (text) => controller.enqueue(encoder.encode(text))) });
    const { unsubscribe } = subscription("subscription { payment { status } }", answers, {
      open: async (given) => ((signal = given), body), renew: async () => false, lost: () => assert.fail("lost"),
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
  const stream = new Stream("");
  for (let n = 0; n < 250; n++) stream.add({ data: { n } }, "");
  const { events, count } = stream.state.get();
  assert.deepEqual([events.length, count, events[0]?.number, events.at(-1)?.number], [100, 250, 250, 151]);
  for (let n = 0; n < 5; n++) stream.add({ data: { text: "x ".repeat(1_000_000) } }, "");
  assert.equal(stream.state.get().events.length, 1);
  stream.add({ data: { text: "x ".repeat(3_000_000) } }, "");
  assert.equal(stream.state.get().events.length, 1, "the newest event is always kept");
});

test("a base64 value is folded in the shown event, and whole in the listed one", () => {
  const stream = new Stream("");
  const event = stream.add({ data: { image: "A".repeat(400) } }, "");
  const answers = new Answers();
  answers.add(stream);
  assert.match(event.folded, /… \(400 characters\)/);
  assert.equal(answers.of(event.folded)?.answered, event);
});

test("the time until the next read is told, and a silent connection", () => {
  const state = { events: [], count: 1, due: 5000, end: null };
  assert.equal(nextRead(state, 4000, 4100), "Next read in 1 s");
  assert.equal(nextRead(state, 4000, 5000), "Reading again; no change so far");
  assert.equal(nextRead(state, 4000, 44_000), "Nothing has arrived for 40 s. The connection may be lost.");
  assert.equal(nextRead({ ...state, end: "Stopped" }, 4000, 44_000), "");
});
