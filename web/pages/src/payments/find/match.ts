import type { BRCode } from "./brcode.ts";
import { isOneEdit, nearness } from "./endtoend.ts";
import { hasPart, type Part } from "./part.ts";
import { plain } from "./text.ts";

/** What of a payment equals what is searched. */
export type Field =
  | "id" | "endToEnd" | "endToEndRefund" | "externalCode" | "pixCode"
  | "payerName" | "receiverName" | "payerDocument" | "receiverDocument" | "payerKey" | "receiverKey";

/** Why a payment was found. */
export interface Reason {
  field: Field;
  value: string;
  /** Why the payment possibly is another one; null if it has what is searched. */
  doubt: Doubt | null;
}

/** Only characters that are not masked are equal; one character differs; an EndToEndId, or a Pix code, only begins in the same way. */
export type Doubt = "masked" | "edit" | "start" | "codeStart";

/** What is compared. A payment is found by any of these. */
export interface Wanted {
  id?: string;
  endToEnd?: string;
  /** A text that looks like an EndToEndId but is not valid. */
  mistyped?: string;
  part?: Part;
  externalCode?: string;
  pixCode?: BRCode;
  /** Without punctuation; it can be masked. */
  documents: string[];
  /** In normal form. */
  keys: string[];
  name?: string;
}

/** The fields of a payment that are compared, in a query for rows of this kind. */
export const matchedFields = `
  id endToEnd endToEndRefund externalCode
  payer { name document pix { key } } receiver { name document pix { key } }`;

interface Party {
  name: string;
  document: string | null;
  pix: { key: string } | null;
}

/** A payment with the fields that are compared. */
export interface Compared {
  id: string;
  endToEnd: string | null;
  endToEndRefund: string | null;
  externalCode: string | null;
  payer: Party | null;
  receiver: Party | null;
  pixResponse?: { uri: string } | null;
}

/** Why a payment is one that is searched; null if it is not. */
export function reasonOf(payment: Compared, wanted: Wanted): Reason | null {
  const found = reasonsOf(payment, wanted);
  return found.find(({ doubt }) => doubt === null) ?? found.find(({ doubt }) => doubt === "edit") ?? found[0] ?? null;
}

function reasonsOf(payment: Compared, wanted: Wanted): Reason[] {
  const reasons: Reason[] = [];
  const add = (field: Field, value: string | null | undefined, doubt: Doubt | null) => {
    if (value !== null && value !== undefined) reasons.push({ field, value, doubt });
  };
  const compare = (field: Field, value: string | null | undefined, text: string) => {
    const same = sameMasked(value ?? "", text);
    if (same !== null) add(field, value, same ? null : "masked");
  };
  const equal = (field: Field, value: string | null | undefined, text: string | undefined) => {
    if (text !== undefined && value?.toLowerCase() === text.toLowerCase()) add(field, value, null);
  };
  equal("id", payment.id, wanted.id);
  equal("endToEnd", payment.endToEnd, wanted.endToEnd);
  equal("endToEndRefund", payment.endToEndRefund, wanted.endToEnd);
  equal("externalCode", payment.externalCode, wanted.externalCode);
  for (const field of ["endToEnd", "endToEndRefund"] as const) {
    const typed = wanted.mistyped ?? wanted.endToEnd;
    const near = typed === undefined ? null : nearness(payment[field] ?? "", typed);
    // A whole EndToEndId begins as those of other payments of its bank.
    if (near === "edit" || (near === "start" && wanted.mistyped !== undefined)) add(field, payment[field], near);
  }
  const { pixCode, part } = wanted;
  for (const field of part === undefined ? [] : (["id", "endToEnd", "endToEndRefund", "externalCode"] as const)) {
    if (part !== undefined && hasPart(payment[field] ?? "", part)) add(field, payment[field], null);
  }
  if (pixCode !== undefined) {
    const doubt = doubtOfCode(payment.pixResponse?.uri ?? "", pixCode);
    if (doubt !== undefined) add("pixCode", pixCode.text, doubt);
  }
  for (const role of ["payer", "receiver"] as const) {
    const party = payment[role];
    if (party === null) continue;
    for (const document of wanted.documents) compare(`${role}Document`, party.document, document);
    for (const key of [...wanted.keys, ...wanted.documents]) compare(`${role}Key`, party.pix?.key, key);
    if (wanted.name !== undefined && hasWords(party.name, wanted.name)) add(`${role}Name`, party.name, null);
  }
  return reasons;
}

/** Fewer characters begin each code of a receiver. */
const fewestOfCode = 50;

/** Whether a Pix code is the one of a text: by all of it, by the address of its charge, or by its beginning; undefined if not. */
function doubtOfCode(uri: string, { text, url, fault }: BRCode): Doubt | null | undefined {
  const [code, typed] = [unspaced(uri), unspaced(text)];
  if (code === typed || (url && code.toLowerCase().includes(unspaced(url).toLowerCase()))) return null;
  if (fault && isOneEdit(code, typed)) return "edit";
  return fault === "cut" && typed.length >= fewestOfCode && code.startsWith(typed) ? "codeStart" : undefined;
}

function unspaced(text: string): string {
  return text.replace(/\s/g, "");
}

/** Four characters of a masked document: fewer fit too many. */
const fewest = 4;

/** Whether two documents or keys are the same: true, false if that is only possible because of a mask, null if they differ. */
export function sameMasked(a: string, b: string): boolean | null {
  const [first, second] = [[...plain(a)], [...plain(b)]];
  if (first.length !== second.length || first.length === 0) return null;
  const masked = first.some((character, index) => character === "*" || second[index] === "*");
  const compared = first.filter((character, index) => character !== "*" && second[index] !== "*").length;
  const same = first.every((character, index) => character === second[index] || character === "*" || second[index] === "*");
  if (!same) return null;
  return masked ? (compared >= fewest ? false : null) : true;
}

/** Whether a name has each word of a text, or a part of it: people leave out middle names, and banks begin with the last one. */
function hasWords(name: string, text: string): boolean {
  const whole = folded(name);
  return folded(text).split(" ").every((word) => whole.includes(word));
}

/** A name without accents and invisible characters, in lower case, with single spaces. */
export function folded(name: string): string {
  return name.normalize("NFD").replace(/[\p{M}\p{Cf}]/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
}
