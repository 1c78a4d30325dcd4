import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Ask } from "../src/ask.ts";
import { lookUp } from "../src/payment/lookup.ts";

const id = "00000000-0000-4000-8000-000000000000";
const notFound = (path: string) => ({ message: "not found", path: [path], extensions: { code: "NOT_FOUND" } });
const withdrawal = { id, statusRaw: "PROCESSED", amount: 1200, createdAt: "then" };

/** An Ask with an answer for each operation, and the operations that were asked. */
function asking(answers: Record<string, unknown>): { ask: Ask; asked: string[] } {
  const asked: string[] = [];
  const ask = (async (query: string) => {
    const name = /query (\w+)/.exec(query)?.[1] ?? "";
    asked.push(name);
    return answers[name];
  }) as Ask;
  return { ask, asked };
}

describe("an id that is not that of a transaction", () => {
  const missing = { data: { transaction: null }, errors: [notFound("transaction")] };

  test("is said to be that of a withdrawal and of a notification, which can be shown", async () => {
    const notification = { id, statusRaw: "SENT", referenceId: "t" };
    const { ask, asked } = asking({ WebhooksOfPayment: missing, RecordsWithID: { data: { withdrawal, notification } } });
    const { notes, offers, errors } = await lookUp(ask, { kind: "transaction", id }, true);
    assert.deepEqual(asked, ["WebhooksOfPayment", "RecordsWithID"]);
    assert.deepEqual([notes, errors], [["No transaction has this id."], []]);
    assert.match(offers[0]?.text ?? "", /^This is the id of a withdrawal: R\$\s12,00, PROCESSED, created then\.$/);
    assert.equal(offers[1]?.text, "This is the id of a notification: SENT, about the record t.");
    assert.deepEqual(offers[1] && "show" in offers[1] && offers[1].show, { kind: "notification", id });
  });

  test("may be that of a deposit, if it is that of no other record", async () => {
    const errors = [notFound("withdrawal"), notFound("notification")];
    const { ask } = asking({ WebhooksOfPayment: missing, RecordsWithID: { data: { withdrawal: null, notification: null }, errors } });
    const { notes, offers } = await lookUp(ask, { kind: "transaction", id }, true);
    assert.deepEqual(offers, []);
    assert.match(notes.join(), /not the id of a withdrawal or of a notification either\..*that of a deposit/);
  });

  test("is not said to be that of nothing if a lookup failed", async () => {
    const down = { message: "down", path: ["notification"], extensions: { code: "FORBIDDEN", requestId: "r" } };
    const errors = [notFound("withdrawal"), down];
    const { ask } = asking({ WebhooksOfPayment: missing, RecordsWithID: { data: { withdrawal: null, notification: null }, errors } });
    const result = await lookUp(ask, { kind: "transaction", id }, true);
    assert.deepEqual([result.errors, result.requestId], [["Whether it is the id of a notification is not known: down"], "r"]);
    assert.doesNotMatch(result.notes.join(), /either/);
  });

  test("is not looked up again if it is that of a picked deposit", async () => {
    const { ask, asked } = asking({ WebhooksOfPayment: missing });
    const { notes } = await lookUp(ask, { kind: "transaction", id, deposit: true }, true);
    assert.match(notes.join(), /^This deposit has no transaction/);
    assert.equal(asked.length, 1);
  });
});

test("other errors lead to no further lookups", async () => {
  const errors = [{ message: "down", path: ["transaction"], extensions: { code: "UPSTREAM_UNAVAILABLE", requestId: "r" } }];
  const { ask, asked } = asking({ WebhooksOfPayment: { data: { transaction: null }, errors } });
  const { errors: said } = await lookUp(ask, { kind: "transaction", id }, true);
  assert.deepEqual([said, asked.length], [["down"], 1]);
});

describe("a text that is no UUID", () => {
  const email = { PixKey: { data: { pixKey: { type: "EMAIL" } } } };

  test("is named, and no API is asked for it", async () => {
    const { ask, asked } = asking(email);
    const { notes } = await lookUp(ask, { kind: "transaction", id: "maria@example.com" }, true);
    assert.match(notes[0] ?? "", /^This is an e-mail address, not the id of a transaction\./);
    assert.deepEqual(asked, ["PixKey"]);
  });

  test("is named an EndToEndId, with the withdrawals that have it", async () => {
    for (const [kind, filter] of [["E", "endToEnd"], ["D", "endToEndRefund"]] as const) {
      const { ask, asked } = asking({});
      const text = `${kind}31872495202611260439RCHhkKbX8lQ`;
      const { offers } = await lookUp(ask, { kind: "transaction", id: text }, true);
      assert.deepEqual(offers[0] && "open" in offers[0] && JSON.parse(offers[0].open.variables), { filter: { [filter]: text } });
      assert.deepEqual(asked, []);
    }
  });

  test("is looked up in the dispatcher if the user wants that", async () => {
    const missing = { data: { notification: null }, errors: [notFound("notification")] };
    const { ask, asked } = asking({ ...email, Webhook: missing });
    const named = await lookUp(ask, { kind: "notification", id: "maria@example.com" }, true);
    const offer = named.offers[0];
    assert.ok(offer && "show" in offer);
    const { notes } = await lookUp(ask, offer.show, true);
    assert.deepEqual(notes, ["No notification has this id."]);
    assert.deepEqual(asked, ["PixKey", "Webhook"]);
  });

  for (const [text, name, operations] of [
    ["6a439fac2f8468b8d4df32f1", "an id of the dispatcher", ["PixKey", "WebhooksOfPayment", "RecordsWithID"]],
    ["Maria da Silva", "what cannot be an id", ["PixKey", "WebhooksOfPayment"]],
  ] as const) {
    test(`that has no name is looked up as far as it can be an id: ${name}`, async () => {
      const refused = { message: "id must be a UUID", path: ["transaction"], extensions: { code: "BAD_USER_INPUT" } };
      const { ask, asked } = asking({
        PixKey: { data: { pixKey: { type: null } } }, WebhooksOfPayment: { data: { transaction: null }, errors: [refused] },
        RecordsWithID: { data: { withdrawal: null, notification: { id: text, statusRaw: "SENT", referenceId: "t" } } },
      });
      const { notes, offers } = await lookUp(ask, { kind: "transaction", id: text }, true);
      assert.deepEqual(notes, ["No transaction has this id: id must be a UUID."]);
      assert.equal(offers.length, operations.length - 2);
      assert.deepEqual(asked, operations);
    });
  }
});
