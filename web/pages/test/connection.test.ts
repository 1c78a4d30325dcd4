import assert from "node:assert/strict";
import { test } from "node:test";
import { Connection } from "../src/connection/connection.ts";

/** A connection whose probes have the given results; each pause ends when the test ends it. */
function connectionWith(...results: ("same" | "changed" | null)[]) {
  const ends: (() => void)[] = [];
  let probes = 0;
  const probe = () => Promise.resolve(results[probes++] ?? null);
  const connection = new Connection(probe, () => new Promise((resolve) => ends.push(resolve)));
  const endPause = async () => {
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  return { connection, endPause, probes: () => probes, pauses: () => ends.length };
}

test("a lost gateway is asked until it responds", async () => {
  const { connection, endPause, probes } = connectionWith(null, "same");
  const back = connection.lost("It does not respond.");
  assert.deepEqual(connection.notice.get(), { kind: "lost", text: "It does not respond." });
  await endPause();
  assert.equal(connection.notice.get()?.kind, "lost");
  await endPause();
  await back;
  assert.equal(probes(), 2);
  assert.equal(connection.notice.get()?.kind, "restored");
  connection.answered();
  assert.equal(connection.notice.get(), null);
});

test("only one loop asks", async () => {
  const { connection, endPause, pauses, probes } = connectionWith("same");
  const both = [connection.lost("1"), connection.lost("2")];
  assert.equal(pauses(), 1);
  assert.equal(connection.notice.get()?.text, "2");
  await endPause();
  await Promise.all(both);
  assert.equal(probes(), 1);
});

test("a response ends the notice before the gateway was asked again", async () => {
  const { connection, endPause } = connectionWith("same");
  const back = connection.lost("It does not respond.");
  connection.answered();
  assert.equal(connection.notice.get(), null);
  await endPause();
  await back;
  assert.equal(connection.notice.get(), null);
});

test("a gateway with another page asks for a reload, and a response does not end that", async () => {
  const { connection, endPause } = connectionWith("changed");
  const back = connection.lost("It does not respond.");
  await endPause();
  await back;
  connection.answered();
  assert.equal(connection.notice.get()?.kind, "changed");
});
