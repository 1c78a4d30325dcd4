import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config } from "../src/base/config.ts";
import type { Answer } from "../src/payments/gateway.ts";
import { Failure } from "../src/payments/gateway.ts";
import { FailedDeliveries } from "../src/payments/find/failed.ts";

const now = new Date("2026-11-26T12:00:00Z");
const config = { pageNumber: true, pageSize: true, links: true } as Config;

/** The deliveries of a day with some deposits; the webhooks of each are those that a function gives. */
function failedOf(
  deposits: number, notificationsOf: (id: string) => unknown, change: Partial<Config> = {}, firstOf = (page: number) => (page - 1) * 100,
) {
  const asked: Record<string, unknown>[] = [];
  let refused: string | null = null;
  const ask = async <Data>(query: string, variables: Record<string, unknown>) => {
    asked.push(variables);
    const answer = { data: {}, errors: [] as unknown[], requestId: "r" };
    if (query.includes("list:")) {
      const first = firstOf(Number(variables["page"] ?? 1));
      const nodes = Array.from({ length: Math.min(100, deposits - first) }, (_, index) => ({ id: String(first + index) }));
      answer.data = { list: { nodes, totalCount: deposits, pageInfo: { hasNextPage: first + nodes.length < deposits } } };
    } else {
      const ids = variables["ids"] as string[];
      answer.data = { transactions: ids.map((id) => ({ id, notifications: refused === null ? notificationsOf(id) : null })) };
      const errorAt = (index: number) => ({ message: "", path: ["transactions", index, "notifications"], extensions: { code: refused } });
      if (refused !== null) answer.errors = ids.map((_, index) => errorAt(index));
    }
    return answer as Answer<Data>;
  };
  const failed = new FailedDeliveries({ ask, uncounted: new Set() }, { ...config, ...change }, () => now);
  return { failed, asked, refuse: (code: string | null) => { refused = code; } };
}

const notified = (...verdicts: string[]) => ({ nodes: verdicts.map((verdict) => ({ id: verdict, delivery: { verdict } })), links: [] });

test("deposits with webhooks that were not delivered are listed, the worst webhook first", async () => {
  const { failed, asked } = failedOf(3, (id) => (id === "1" ? notified("DELIVERED", "NOT_ATTEMPTED", "REJECTED") : notified("DELIVERED")));
  await failed.refresh();
  const { rows, looked, total, more } = failed.state.get();
  const shown = rows.map(({ deposit, notified: each }) => [deposit.id, each.map(({ delivery }) => delivery.verdict)]);
  assert.deepEqual(shown, [["1", ["REJECTED", "NOT_ATTEMPTED"]]]);
  assert.deepEqual([looked, total, more], [3, 3, false]);
  assert.deepEqual(asked[0]?.["filter"], { startDate: "2026-11-25T12:00:00.000Z", endDate: "2026-11-26T12:00:00.000Z" });
});

test("forty deposits are looked at in two operations, and a hundred more on request", async () => {
  const { failed, asked } = failedOf(150, () => notified("REJECTED"));
  await failed.refresh();
  assert.deepEqual([failed.state.get().looked, failed.state.get().more, asked.length], [40, true, 3]);
  await failed.more();
  assert.deepEqual([failed.state.get().looked, failed.state.get().more, asked.length], [140, true, 9]);
});

test("if no webhook of a batch can be read, the reading ends there, and continues there", async () => {
  const { failed, asked, refuse } = failedOf(30, () => notified("REJECTED"));
  refuse("UPSTREAM_ERROR");
  await failed.refresh();
  assert.equal(asked.length, 2);
  assert.deepEqual([(failed.state.get().error as Failure).code, failed.state.get().looked, failed.state.get().reading], ["UPSTREAM_ERROR", 0, false]);
  refuse(null);
  await failed.more();
  assert.deepEqual([failed.state.get().error, failed.state.get().looked], [null, 30]);
});

test("pages without a new deposit end a reading, and the user can continue it", async () => {
  const { failed, asked } = failedOf(250, () => notified(), {}, () => 0);
  await failed.refresh();
  await failed.more();
  const { looked, more, reading } = failed.state.get();
  assert.deepEqual([looked, more, reading, asked.length], [100, true, false, 7]);
});

test("a gateway without page numbers says that it cannot look further", async () => {
  const { failed } = failedOf(130, () => notified(), { pageNumber: false });
  await failed.refresh();
  await failed.more();
  const { looked, more, unreachable } = failed.state.get();
  assert.deepEqual([looked, more, unreachable], [100, false, true]);
});

test("without links nothing is read, and what was read is read once", async () => {
  const without = failedOf(3, () => notified(), { links: false });
  without.failed.start();
  assert.equal(without.asked.length, 0);
  const { failed, asked } = failedOf(3, () => notified());
  failed.start();
  failed.start();
  await new Promise((resolve) => failed.state.watch(() => failed.state.get().reading || resolve(null)));
  failed.start();
  assert.equal(asked.length, 2);
});
