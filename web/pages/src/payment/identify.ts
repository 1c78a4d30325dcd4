import type { GraphQLFormattedError } from "graphql";
import { codeOf, Failure, requestIdOf, type Ask } from "../ask.ts";
import { localTime, reais } from "../format.ts";
import { isUUID } from "../ids.ts";
import type { Content } from "../operations/open.ts";
import { pixKeyDocument, recordsDocument, withdrawalDocument, withdrawalsDocument, type Records } from "./documents.ts";

/** What the panel looks up. A text that is named as something else is looked up only if the user asks for it. */
export interface Wanted {
  kind: "transaction" | "notification";
  id: string;
  /** The user picked a deposit, whose id it is. */
  deposit?: boolean;
  named?: boolean;
}

/** A sentence with a button: it looks up something else, or opens an operation. */
export type Offer = { text: string; label: string } & ({ show: Wanted } | { open: Content });

/** What is known of an id or a text that is not the wanted one. */
export interface Identified {
  notes: string[];
  offers: Offer[];
  errors: string[];
  requestId: string | null;
}

/** The types of Pix keys, as the gateway reads them. */
const keys: Readonly<Record<string, string>> = {
  CPF: "a CPF, the number of a person", CNPJ: "a CNPJ, the number of a company", EMAIL: "an e-mail address", PHONE: "a phone number",
  EVP: "a random Pix key (EVP), or another UUID, without hyphens",
};

/** Names a text that is no UUID; null if its form is unknown. The gateway reads Pix keys, without a call of an API. */
export async function identifyText(ask: Ask, { kind, id }: Wanted): Promise<Identified | null> {
  const isEndToEnd = /^[ED]\d{20}[A-Za-z0-9]{11}$/.test(id);
  const name = isEndToEnd ? "an EndToEndId" : id.startsWith("000201") ? "the text of a Pix code" : await keyIn(ask, id);
  if (name === null) return null;
  const notes = [`This is ${name}, not the id of a ${kind}. A deposit can be found below by its amount and time.`];
  const offers: Offer[] = [];
  if (isEndToEnd) {
    const filter = { [id.startsWith("D") ? "endToEndRefund" : "endToEnd"]: id };
    const open = { query: withdrawalsDocument, variables: JSON.stringify({ filter }, null, 2) };
    offers.push({ text: "It may be that of a withdrawal.", label: "Find the withdrawal", open });
  } else if (name !== keys["EVP"]) {
    notes.push("Withdrawals can be found by the Pix key that was paid: see pixKey in the filter of withdrawals.");
  }
  if (kind === "notification") {
    const text = "It was not sent to the dispatcher, whose ids have no documented form.";
    offers.push({ text, label: "Look it up as an id", show: { kind, id, named: true } });
  }
  return { notes, offers, errors: [], requestId: null };
}

async function keyIn(ask: Ask, text: string): Promise<string | null> {
  const { data, errors } = await ask<{ pixKey: { type: string | null } | null }>(pixKeyDocument, { text });
  if (!data?.pixKey) throw Failure.of(errors);
  return keys[data.pixKey.type ?? ""] ?? null;
}

/** Looks up an id that was not found as records of the other two kinds. */
export async function identifyRecord(ask: Ask, { kind, id }: Wanted): Promise<Identified> {
  const others = kind === "transaction" ? "notification" : "transaction";
  const variables = { id, transaction: others === "transaction", notification: others === "notification" };
  const { data, errors = [] } = await ask<Records>(recordsDocument, variables);
  const offers: Offer[] = [];
  const { transaction, withdrawal, notification } = data ?? {};
  if (transaction) {
    offers.push({ text: `This is the id of a transaction: ${summaryOf(transaction)}.`, label: "Show its webhooks", show: { kind: "transaction", id } });
  }
  if (withdrawal) {
    const open = { query: withdrawalDocument, variables: JSON.stringify({ id }, null, 2) };
    offers.push({ text: `This is the id of a withdrawal: ${summaryOf(withdrawal)}.`, label: "Open the withdrawal", open });
  }
  if (notification) {
    const text = `This is the id of a notification: ${notification.statusRaw}, about the record ${notification.referenceId}.`;
    offers.push({ text, label: "Show the notification", show: { kind: "notification", id } });
  }
  const unknown = errors.filter((error) => !absent.includes(codeOf(error)));
  const notes = offers.length === 0 && unknown.length === 0 ? [`It is not the id of a withdrawal or of a ${others} either.`] : [];
  if (offers.length === 0 && kind === "transaction" && isUUID(id)) {
    notes.push("It may be that of a deposit: the API has no lookup of deposits by id, and not every deposit has a transaction.");
  }
  return { notes, offers, errors: unknown.map(uncheckedOf), requestId: requestIdOf(unknown[0]) };
}

/** The codes that say that no record has an id. The gateway refuses one of another form than the kind's ids have. */
export const absent: unknown[] = ["NOT_FOUND", "BAD_USER_INPUT"];

function summaryOf({ amount, statusRaw, createdAt }: { amount: unknown; statusRaw: string; createdAt: string }): string {
  return `${reais(amount)}, ${statusRaw}, created ${localTime(createdAt) ?? createdAt}`;
}

function uncheckedOf({ path, message }: GraphQLFormattedError): string {
  return path === undefined ? message : `Whether it is the id of a ${path[0]} is not known: ${message}`;
}
