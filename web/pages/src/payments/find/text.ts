import { centsOf } from "../../base/money.ts";
import { brCodeIn, type BRCode } from "./brcode.ts";
import { describedOf, inBrazil, trimmed } from "./described.ts";
import { countOf, endToEndOf, endToEndWithin, mistypedOf, onlyOne, type EndToEnd, type Mistyped } from "./endtoend.ts";
import { partOf, type Part } from "./part.ts";

/** What a text that the user entered may be. It can be several of these, and the search tries all. */
export interface Meanings {
  /** The text as it is compared: without what an e-mail adds to it. */
  text: string;
  /** A UUID: an id, and maybe a random Pix key. In lower case. */
  uuid?: string;
  /** An EndToEndId, of a payment or a refund. */
  endToEnd?: EndToEnd;
  mistyped?: Mistyped;
  /** A part of an id. */
  part?: Part;
  brCode?: BRCode;
  /** Texts that may be Pix keys, for the gateway to say. */
  keys: string[];
  /** A CPF or CNPJ, maybe masked, without punctuation. */
  document?: string;
  cents?: number;
  /** An amount with a name: the payment has both. */
  named?: { cents: number; name: string };
  /** A code that a shop gave the payment. */
  externalCode?: string;
  /** A notification id. Its format is not documented. */
  notification?: string;
  name?: string;
  /** The day that the text says; null if there is no such day. A text may say nothing else. */
  day?: string | null;
  /** The last day, if the text says from which day to which. */
  until?: string;
  /** Whether the text has several ids, of which none is searched. */
  several?: true;
  /** Whether the text has more, such as a time, that is not compared. */
  ignored?: true;
}

const uuidWithin = /(?<![\da-z])[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}(?![\da-z])/gi;
const unhyphened = /^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/i;
const cpf = /^[\d*]{3}[. ]?[\d*]{3}[. ]?[\d*]{3}[- ]?[\d*]{2}$/;
// Since 2026 the first twelve characters of a CNPJ can be letters.
const cnpj = /^[\da-z*]{2}[. ]?[\da-z*]{3}[. ]?[\da-z*]{3}[/ ]?[\da-z*]{4}[- ]?[\d*]{2}$/i;
const mail = /^\S+@\S+\.\S+$/;
const phone = /^\+?[\d\s().-]{10,20}$/;
const documentWithin = /(?<![\d*.])(?:[\d*]{3}\.[\d*]{3}\.[\d*]{3}-[\d*]{2}|\*{3}\d{6}\*\*|[\d*]{2}\.[\d*]{3}\.[\d*]{3}\/[\d*]{4}-[\d*]{2})(?![\d*])/g;

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

function isUUID(text: string): boolean {
  return uuid.test(text);
}

/** Whether a text can be an id of the dispatcher, whose form is not documented: letters and at least one digit. */
function mayBeNotification(text: string): boolean {
  return /^(?=.*\d)[\w-]{8,64}$/.test(text);
}

/** The longest text that is read, such as an e-mail with a receipt. */
const maxText = 10_000;

/** The longest and the shortest external code that the filter of the API takes. */
const maxCode = 255;
export const minCode = 8;

// What a shop or its customer writes before the number of an order, which is no amount then.
const ofOrder = "(?:pedido|order|cobrança|fatura|nota|nf|protocolo|ref(?:erência)?|id|código(?: externo)?)";
const numbered = "(?:n[º°.]|n\\.?[º°o]?[.\\s]|número\\s)\\s*";
const label = `(?:${ofOrder}(?:\\s*[:=#]\\s*|\\s+(?:${numbered})?#?\\s*)|${numbered})`;
const order = new RegExp(`^(?:#\\s*|${label})(?=\\S*\\d)(?!\\S*[.,]\\d\\d$)([^\\s/]+)$`, "iu");

/** Reads a text. Without any meaning it cannot be searched. */
export function meaningsOf(entered: string, now = new Date()): Meanings {
  const text = unlabelled(cleaned(entered));
  const whole = text.replace(/\s/g, ""); // a line break can be within an id
  const found: Meanings = { text, keys: [] };
  if (text === "" || entered.length > maxText) return found;
  const brCode = brCodeIn(entered);
  if (brCode !== null) return { ...found, brCode };
  const uuid = isUUID(whole) ? whole : onlyOne(text, uuidWithin);
  const endToEnd = uuid === undefined ? endToEndOf(text) : null;
  // With a sequence of hexadecimal digits it is also a UUID without hyphens.
  if (endToEnd !== null) return { ...found, endToEnd };
  const id = uuid ?? hyphened(whole);
  if (id === undefined) {
    const mistyped = mistypedOf(text);
    if (mistyped !== null) return { ...found, mistyped, ...(text.length <= maxCode && { externalCode: text }) };
    if (countOf(text, uuidWithin) + countOf(text, endToEndWithin) > 1) return { ...found, several: true };
    const [, code] = order.exec(cleaned(entered)) ?? [];
    if (code !== undefined && code.length <= maxCode) return { ...found, externalCode: code };
    return { ...found, ...textMeanings(text, now) };
  }
  found.uuid = id.toLowerCase();
  found.keys.push(found.uuid);
  found.externalCode = whole.toLowerCase() === found.uuid ? id : text;
  return found;
}

/** Whether a text has the form of a CPF or CNPJ. Twelve letters and two digits alone are as likely a code. */
function isDocumentText(text: string): boolean {
  return cpf.test(text) || (cnpj.test(text) && (/[\d*].*.{2}$/.test(text) || /^..\..{3}\..{3}\/.{4}-..$/.test(text)));
}

// What people and forms write before a value: words and a colon, or the name of what has a form of its own.
const before = /^(\p{L}[\p{L}\d\s/().-]{0,40}?)\s*[:=]\s*(.+)$/u;
const beforeKey = /^((?:cpf(?: ?\/ ?cnpj)?|cnpj|documento?|(?:chave(?: pix)?|pix(?: key)?)(?: (?:cpf|cnpj|e-?mail|telefone|celular|aleatória))?|e-?mail|tel(?:efone)?|celular|whatsapp|phone|tx ?id))\s+(.+)$/iu;
const ofAny = /^(?:nome|name|pagador|payer|recebedor|receiver|código externo|external code|id|valor|amount)\b/iu;
const ofPhones = /tel|fone|cel|phone|whats|chave|pix|key/i;

/** A text without the label before it, if what follows has the form of an id, a document or a key, or the label is of any text. */
function unlabelled(text: string): string {
  const colon = before.exec(text);
  const [, words = "", rest = ""] = colon ?? beforeKey.exec(text) ?? [];
  const unspaced = rest.replace(/\s/g, "");
  const isId = isUUID(unspaced) || unhyphened.test(unspaced) || endToEndOf(rest) !== null;
  const isKey = isDocumentText(rest) || mail.test(rest) || (phone.test(rest) && ofPhones.test(words));
  return isId || isKey || (colon !== null && ofAny.test(words)) ? rest : text;
}

/** A UUID that was written without its hyphens. */
function hyphened(text: string): string | undefined {
  return unhyphened.exec(text)?.slice(1).join("-");
}

/** The meanings of a text that is no id of Pix or of the gateway. */
function textMeanings(text: string, now: Date): Partial<Meanings> {
  const found: Partial<Meanings> & { keys: string[] } = { keys: [] };
  const part = partOf(text);
  if (part !== null && part.end !== "") return { part };
  const described = describedMeanings(text, now);
  if (described !== null) return described;
  const document = onlyOne(text, documentWithin);
  if (document !== undefined && document !== text) return { ...textMeanings(document, now), ignored: true }; // of a name, for example
  const named = namedOf(text);
  if (named !== null) return { named };
  if (part !== null) found.part = part;
  const cents = centsOf(inBrazil(text.replace(/^[−+-]\s*(?=R\$|\d)|(?<=[.,]\d\d)\s*[CD-]$/gi, ""))); // as in statements
  const digits = /^\d+$/.test(text);
  if (cents !== null && cents > 0 && text.length <= 16) found.cents = cents;
  const isDocument = isDocumentText(text);
  if (isDocument && (text.match(/[^*.\s/-]/g)?.length ?? 0) >= 4) found.document = plain(text);
  const isMail = text.length <= maxCode && mail.test(text);
  if (isMail || ((isDocument || phone.test(text)) && !text.includes("*"))) found.keys.push(text);
  // The gateway reads eleven digits that are a valid CPF as one. They can be a mobile phone number too.
  if (/^[1-9]{2}9\d{8}$/.test(text)) found.keys.push(`+55${text}`);
  const isTyped = isMail || phone.test(text) || found.document !== undefined || found.cents !== undefined;
  // Digits alone can be a code of any kind, and so can what is of no other kind.
  const special = (isTyped && !digits) || /^\+|\*/.test(text);
  const isShortCode = /^(?=.*\p{L})(?=.*\d)\S{4,}$/u.test(text);
  if (!special && (text.length >= minCode || isShortCode) && text.length <= maxCode) found.externalCode = text;
  if (!special && mayBeNotification(text)) found.notification = text;
  if (!special && !digits && /\p{L}.*\p{L}/u.test(text) && (/\s/.test(text) || !/\d/.test(text))) found.name = text;
  return found;
}

const isName = /^\p{L}[\p{L}.'’&-]*(?: [\p{L}.'’&-]+){0,3}$/u;

/** The meanings of a text that has a day, or an amount among other words; null for another text. */
function describedMeanings(text: string, now: Date): Partial<Meanings> | null {
  const described = describedOf(text, now);
  if (described === null) return null;
  const { cents, day, until, rest, timed, told } = described;
  const named = cents !== null && !told && isName.test(rest);
  const ignored = timed || (cents !== null && rest !== "" && !named);
  const found = { ...(day !== undefined && { day }), ...(until !== undefined && { until }), ...(ignored && { ignored: true as const }) };
  if (cents !== null) return { ...found, ...(named ? { named: { cents, name: rest } } : { cents }) };
  if (day === undefined) return null;
  return rest === "" ? found : { ...(text.length <= maxCode && { externalCode: text }), ...textMeanings(rest, now), ...found };
}

// An amount with cents, or with R$: a number alone can be of a name, such as "Loja 3".
const amountAtStart = /^(R\$\s*\d(?:[\d.,]*\d)?|\d[\d.,]*[.,]\d\d)[\s,;:–-]+(\D*)$/u;
const amountAtEnd = /^(\D*?)[\s,;:–-]+(R\$\s*\d(?:[\d.,]*\d)?|\d[\d.,]*[.,]\d\d)$/u;

/** An amount before or after a name; null for another text. */
function namedOf(text: string): { cents: number; name: string } | null {
  const [, first = "", after = ""] = amountAtStart.exec(text) ?? [];
  const [, before = "", last = ""] = amountAtEnd.exec(text) ?? [];
  const cents = centsOf(inBrazil(first || last));
  const name = trimmed(after || before);
  return cents !== null && cents > 0 && /\p{L}.*\p{L}/u.test(name) ? { cents, name } : null;
}

/**
 * The text without spaces, quotation marks and punctuation around it, with spaces for line breaks, "-" for each hyphen, also for a
 * dash in its place, and "*" for what else masks a document.
 */
export function cleaned(entered: string): string {
  const masked = entered.replace(/[•●∙＊]/g, "*").replace(/(?<![\p{L}\d])xxx([. ]?\d{3}[. ]?\d{3}[- ]?)xx(?![\p{L}\d])/giu, "***$1**");
  let text = masked.replace(/\p{Cf}/gu, "").replace(/[\u2010\u2011]|(?<=[\da-z])[\u2012\u2013\u2212](?=[\da-z])/gi, "-").replace(/^[>\s]+/gm, "").replace(/\s+/g, " ").trim();
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/^["'`“”‘’«»<]+|["'`“”‘’«»>,;:.]+$/g, "").replace(/^(?:\((.*)\)|\[(.*)\])$/, "$1$2").trim();
  }
  return text;
}

/** A document or key without punctuation, in capitals. Dots are part of an e-mail address. */
export function plain(text: string): string {
  return (text.includes("@") ? text : text.replace(/[.\-/\s]/g, "")).toUpperCase();
}
