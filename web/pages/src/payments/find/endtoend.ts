/** An EndToEndId: E, or D of a refund, the ISPB of a bank, a minute in UTC, and eleven letters and digits. */
export interface EndToEnd {
  /** With its first letter in capitals, as all have it. */
  id: string;
  refund: boolean;
  minute: Date;
  /** The letters may have been written in another case than the bank's, which the filters of the API may not find. */
  recased?: true;
}

/** A text that looks like an EndToEndId but is not valid: too short, too long, or with a minute that does not exist. */
export interface Mistyped {
  id: string;
  refund: boolean;
  /** Null if it cannot be read, so that it is not known when the payment was. */
  minute: Date | null;
}

/** The length of every EndToEndId. */
export const endToEndLength = 32;

const whole = /^[ED]\d{20}[\da-z]{11}$/i;
export const endToEndWithin = /(?<![\da-z])[ED]\d{20}[\da-z]{11}(?![\da-z])/gi;
// A receipt of a refund has both.
const ofPayment = /(?<![\da-z])E\d{20}[\da-z]{11}(?![\da-z])/gi;
// From the bank and the minute on, up to four characters too many. A digit of the bank can be missing, or doubled.
const nearly = /^[ED]\d{7,9}2\d[\da-z]{10,25}$/i;
const nearlyWithin = /(?<![\da-z])[ED]\d{7,9}2\d[\da-z]{10,25}(?![\da-z])/gi;

/** The EndToEndId of a text, or the only one within it; null without one. */
export function endToEndOf(text: string): EndToEnd | null {
  // Programs group the characters, and what reads a picture takes a digit for a letter.
  const grouped = text.replace(/[\s.-]/g, "").replace(/^.{21}/, (digits) => digits.replace(/o/gi, "0").replace(/[il]/gi, "1"));
  const typed = whole.test(grouped) ? grouped : onlyOne(text, endToEndWithin) ?? onlyOne(text, ofPayment);
  const minute = typed === undefined ? null : minuteOf(typed, 8);
  if (typed === undefined || minute === null) return null;
  const id = typed.slice(0, 1).toUpperCase() + typed.slice(1);
  const isCapitals = /[A-Z]/.test(id.slice(1)) && id === id.toUpperCase();
  return { id, refund: isRefund(id), minute, ...((id !== typed || isCapitals) && { recased: true as const }) };
}

/** The part of a text that looks like an EndToEndId, for a text without a valid one; null if there is no such part. */
export function mistypedOf(text: string): Mistyped | null {
  const id = idIn(text, nearly, nearlyWithin);
  if (id === undefined || id.length < 21 || id.length > 36) return null;
  const minute = [8, 7, 9].map((digits) => minuteOf(id, digits)).find((each) => each !== null) ?? null;
  // Without its minute, a text of another length is as likely a code of another kind.
  if (minute === null && (id.length < 28 || (id.length === endToEndLength && !/^.\d{8}20/.test(id)))) return null;
  return { id, refund: isRefund(id), minute };
}

/** How near an EndToEndId is to what a user typed: by one character, or by its bank and its minute; null if it is not. */
export function nearness(id: string, typed: string): "edit" | "start" | null {
  const [a, b] = [id.toLowerCase(), typed.toLowerCase()];
  if (isOneEdit(a, b)) return "edit";
  return a.slice(0, shared) === b.slice(0, shared) ? "start" : null;
}

/** The bank and ten minutes. */
const shared = 20;

/** Whether two different texts become equal if one character is changed, left out or added, or two neighbours change places. */
export function isOneEdit(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [restOfA, restOfB] = [a.slice(at), b.slice(at)];
  if (restOfA.length !== restOfB.length) {
    const [long, short] = restOfA.length > restOfB.length ? [restOfA, restOfB] : [restOfB, restOfA];
    return long.slice(1) === short;
  }
  const isSwapped = restOfA[0] === restOfB[1] && restOfA[1] === restOfB[0];
  return restOfA.slice(1) === restOfB.slice(1) || (isSwapped && restOfA.slice(2) === restOfB.slice(2));
}

function isRefund(id: string): boolean {
  return /^d/i.test(id);
}

/** The text without its spaces, if that fits: a line break can be within an id. Otherwise the only id within the text. */
function idIn(text: string, pattern: RegExp, inside: RegExp): string | undefined {
  const unspaced = text.replace(/\s/g, "");
  return pattern.test(unspaced) ? unspaced : onlyOne(text, inside);
}

/** What a pattern fits in a text, if that is one text, whatever its case. */
export function onlyOne(text: string, pattern: RegExp): string | undefined {
  return countOf(text, pattern) === 1 ? text.match(pattern)?.[0] : undefined;
}

/** How many different texts a pattern fits in a text. */
export function countOf(text: string, pattern: RegExp): number {
  return new Set(text.match(pattern)?.map((id) => id.toLowerCase())).size;
}

/** The minute after the digits of the bank; null for one that does not exist. */
function minuteOf(id: string, digits: number): Date | null {
  const [, year, month, day, hour, minute] = new RegExp(`^.\\d{${digits}}(20\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)`).exec(id) ?? [];
  const time = `${year}-${month}-${day}T${hour}:${minute}:00.000Z`;
  const instant = new Date(time);
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === time ? instant : null;
}
