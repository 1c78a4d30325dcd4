import { Failure, type Gateway } from "../gateway.ts";
import type { ById, Route } from "../route.ts";
import { withdrawalRow, type WithdrawalRow } from "../rows/rowdata.ts";
import { digitsOf } from "../../base/exact.ts";
import type { BRCode } from "./brcode.ts";
import type { Meanings } from "./text.ts";

export interface TransactionHit {
  id: string;
  createdAt: string;
  amount: unknown;
  statusRaw: string;
}

export interface NotificationHit {
  id: string;
  createdAt: string;
  referenceId: string;
  delivery: { verdict: string; explanation: string };
}

/** What is found by id. */
export interface Hits {
  transaction: TransactionHit | null;
  withdrawal: WithdrawalRow | null;
  notification: NotificationHit | null;
}

/** What the gateway says about a text as a Pix key. */
export interface Key {
  normalized: string | null;
  problems: { code: string }[];
}

export interface LookedUp extends Hits {
  /** Why a record could not be read. One that does not exist is no error. */
  failures: Partial<Record<ById, Failure>>;
  keys: Key[];
  /** What the gateway says about a text as a Pix code; null if it was not asked. */
  code: Required<Omit<BRCode, "text">> | null;
}

/** A Pix code in a response. */
interface Read {
  crc: "CORRECT" | "WRONG" | "MISSING";
  amount: unknown;
  merchantName: string | null;
  url: string | null;
}

const selections: Record<ById, string> = {
  transaction: "transaction(id: $id) { id createdAt amount statusRaw }",
  withdrawal: "withdrawal(id: $id) { ...WithdrawalRow }",
  notification: "notification(id: $id) { id createdAt referenceId delivery { verdict explanation } }",
};

/** The records whose id a text may be. The ids of withdrawals are UUIDs of version 4. */
export function recordsOf({ uuid, notification }: Meanings): ById[] {
  if (uuid === undefined) return notification === undefined ? [] : ["notification"];
  const isVersion4 = uuid[14] === "4" && /[89ab]/.test(uuid[19] ?? "");
  return isVersion4 ? ["transaction", "withdrawal", "notification"] : ["transaction", "notification"];
}

/** Looks up records by id and reads keys, in one operation. The text is a variable: keys are personal data. */
export async function lookUp(
  gateway: Pick<Gateway, "ask">, meanings: Meanings, records: readonly ById[], signal?: AbortSignal,
): Promise<LookedUp> {
  const { keys: texts, brCode } = meanings;
  const result: LookedUp = { transaction: null, withdrawal: null, notification: null, failures: {}, keys: [], code: null };
  if (records.length + texts.length === 0 && brCode === undefined) return result;
  const id = meanings.uuid ?? meanings.notification;
  const declared = [...(records.length > 0 ? ["$id: ID!"] : []), ...texts.map((_, index) => `$key${index}: String!`)];
  const keyFields = texts.map((_, index) => `key${index}: pixKey(text: $key${index}) { normalized problems { code } }`);
  if (brCode !== undefined) declared.push("$code: String!");
  const fields = [...records.map((record) => selections[record]), ...keyFields, ...(brCode ? ["code: pixCode(text: $code) { crc amount merchantName url }"] : [])];
  const query = `query (${declared.join(", ")}) { ${fields.join(" ")} } ${records.includes("withdrawal") ? withdrawalRow : ""}`;
  const keys = Object.fromEntries(texts.map((text, index) => [`key${index}`, text]));
  const variables = { ...(records.length > 0 && { id }), ...keys, ...(brCode && { code: brCode.text }) };
  const { data, errors, requestId } = await gateway.ask<Partial<Hits> & Record<string, unknown>>(query, variables, signal);
  Object.assign(result, Object.fromEntries(records.map((record) => [record, data?.[record] ?? null])));
  for (const error of errors) {
    const record = records.find((each) => each === error.path?.[0]);
    const failure = Failure.of(error, requestId);
    if (record === undefined || result[record] !== null || failure.code === "NOT_FOUND") continue;
    result.failures[record] = failure;
  }
  const unread: Key = { normalized: null, problems: [] };
  const code = data?.["code"] as Read | null | undefined;
  if (code) {
    const { crc, amount, merchantName: name, url } = code;
    const cents = digitsOf(amount);
    result.code = { cents: cents === null ? null : Number(cents), name, url, fault: ({ CORRECT: null, WRONG: "changed", MISSING: "cut" } as const)[crc] };
  }
  result.keys = texts.map((_, index) => (data?.[`key${index}`] as Key | null | undefined) ?? unread);
  return result;
}

/** The view of the only record that was found. */
export function routeOfHit({ transaction, withdrawal, notification }: Hits): Route {
  if (transaction !== null) return { view: "transaction", id: transaction.id };
  if (withdrawal !== null) return { view: "withdrawal", id: withdrawal.id };
  return { view: "notification", id: notification?.id ?? "" };
}
