import { plain } from "./text.ts";

/** What of a payment equals what is searched. */
export type Field =
  | "id" | "endToEnd" | "endToEndRefund" | "externalCode" | "pixCode"
  | "payerName" | "receiverName" | "payerDocument" | "receiverDocument" | "payerKey" | "receiverKey";

/** Why a payment was found. */
export interface Reason {
  field: Field;
  value: string;
  /** False if only the characters that are not masked are equal. */
  certain: boolean;
}

/** What is compared. A payment is found by any of these. */
export interface Wanted {
  id?: string;
  endToEnd?: string;
  externalCode?: string;
  pixCode?: string;
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
  return found.find(({ certain }) => certain) ?? found[0] ?? null;
}

function reasonsOf(payment: Compared, wanted: Wanted): Reason[] {
  const reasons: Reason[] = [];
  const add = (field: Field, value: string | null | undefined, certain: boolean | null | undefined) => {
    if (value !== null && value !== undefined && certain !== null && certain !== undefined) reasons.push({ field, value, certain });
  };
  const equal = (field: Field, value: string | null | undefined, text: string | undefined) => {
    if (text !== undefined && value?.toLowerCase() === text.toLowerCase()) add(field, value, true);
  };
  equal("id", payment.id, wanted.id);
  equal("endToEnd", payment.endToEnd, wanted.endToEnd);
  equal("endToEndRefund", payment.endToEndRefund, wanted.endToEnd);
  equal("externalCode", payment.externalCode, wanted.externalCode);
  const { pixCode } = wanted;
  if (pixCode !== undefined && unspaced(payment.pixResponse?.uri ?? "") === unspaced(pixCode)) add("pixCode", pixCode, true);
  for (const role of ["payer", "receiver"] as const) {
    const party = payment[role];
    if (party === null) continue;
    for (const document of wanted.documents) add(`${role}Document`, party.document, sameMasked(party.document ?? "", document));
    for (const key of [...wanted.keys, ...wanted.documents]) add(`${role}Key`, party.pix?.key, sameMasked(party.pix?.key ?? "", key));
    if (wanted.name !== undefined && folded(party.name).includes(folded(wanted.name))) add(`${role}Name`, party.name, true);
  }
  return reasons;
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

/** A name without accents, in lower case, with single spaces. */
export function folded(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
}
