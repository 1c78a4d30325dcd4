import assert from "node:assert/strict";
import { test } from "node:test";
import { duration, size } from "../src/base/format.ts";
import type { Call, Trace } from "../src/base/trace.ts";
import { place, result } from "../src/waterfall/format.ts";
import { layOut, spanOf, ticks } from "../src/waterfall/layout.ts";

function call(change: Partial<Call>): Call {
  return {
    service: "core", route: "/deposit", status: 200, outcome: "ok", bytes: 1, encodedBytes: 1, startMicros: 0,
    durationMicros: 100, waitedMicros: 0, attempt: 1, coalesced: false, fields: [["deposits"]], joined: 0, ...change,
  };
}

function trace(...calls: Call[]): Trace {
  return { durationMicros: 1000, gatewayMicros: 0, calls };
}

test("bars are positioned at their calls' times, in the order of their start", () => {
  const bars = layOut(trace(call({ startMicros: 500, durationMicros: 250, waitedMicros: 100 }), call({ durationMicros: 200 })));
  assert.deepEqual(
    bars.map(({ waitAt, at, width }) => [waitAt, at, width]),
    [[0, 0, 20], [40, 50, 25]],
  );
});

test("a call with no duration is visible, even at the end", () => {
  const [bar] = layOut(trace(call({ startMicros: 1000, durationMicros: 0 })));
  assert.ok(bar && bar.width > 0 && bar.at + bar.width <= 100);
});

test("a wait that began before the operation is clipped", () => {
  const [bar] = layOut(trace(call({ startMicros: 10, waitedMicros: 50 })));
  assert.equal(bar?.waitAt, 0);
});

test("a call that ends after its operation sets the end of the axis", () => {
  assert.equal(spanOf(trace(call({ startMicros: 900, durationMicros: 600 }))), 1500);
});

test("an operation without calls has an axis and no bars", () => {
  assert.deepEqual(layOut(trace()), []);
  assert.deepEqual(ticks({ ...trace(), durationMicros: 0 }).map(({ at }) => at), [0, 20, 40, 60, 80, 100]);
});

for (const [span, step] of [[1000, 200], [999, 200], [5210, 2000], [12_000, 5000], [100, 20]] as const) {
  test(`the axis of ${span} µs has a tick every ${step}`, () => {
    const all = ticks({ ...trace(), durationMicros: span });
    assert.equal(all[1]?.micros, step);
    assert.ok(all.length <= 6);
  });
}

test("figures are short", () => {
  assert.deepEqual([640, 2100, 52_100, 5_210_000].map(duration), ["640 µs", "2.1 ms", "52 ms", "5.2 s"]);
  assert.deepEqual([999, 5120, 388_000, 2_000_000].map((bytes) => size(bytes)), ["999 B", "5.1 KB", "388 KB", "2 MB"]);
});

test("a failed call shows its code, with the status if there is one", () => {
  assert.equal(result(call({})), "200");
  assert.equal(result(call({ status: 503, outcome: "UPSTREAM_ERROR" })), "503 UPSTREAM_ERROR");
  assert.equal(result(call({ status: 0, outcome: "UPSTREAM_TIMEOUT" })), "UPSTREAM_TIMEOUT");
});

test("a path in the response is joined with dots", () => assert.equal(place(["n2", 0, "transaction"]), "n2.0.transaction"));
