// What a text says as a Pix key, by docs/derived.md ("Pix keys") and the type PixKeyText. Read pixKey first.

import { present } from './moments.js';
import { Problems, visible } from './problems.js';

// The national codes of Anatel's numbering plan: the digits of the second place by the first.
const areas = { 1: '123456789', 2: '12478', 3: '1234578', 4: '123456789', 5: '1345', 6: '123456789', 7: '134579', 8: '123456789', 9: '123456789' };
const isArea = (digits) => areas[digits[0]]?.includes(digits[1]) ?? false;
const isMobile = (digits) => isArea(digits) && digits[2] === '9';

const label = '[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?';
const email = new RegExp(`^[0-9A-Za-z.!#$&'*+/=?^_\`{|}~-]+@${label}(?:\\.${label})*$`);

// What people write between digits: white space, dashes, dots, slashes and parentheses.
const between = /[\s\x85\p{Dash_Punctuation}./()]/gu;

/** The type of key that a text has the form of, the key as DICT writes it, and the problems. */
export function pixKey(text) {
  const problems = new Problems();
  const inner = visible(text);
  let read = {};
  if (Buffer.byteLength(text) > 256) problems.add('TOO_LONG');
  else if (inner === '') problems.add('EMPTY');
  else if (inner.includes('@')) read = { type: 'EMAIL', normalized: emailOf(inner, problems) };
  else read = ofNumber(inner, problems);
  const { type, normalized } = read;
  if (normalized !== undefined && normalized !== text) problems.add('NOT_NORMAL');
  return present({ type, normalized, problems: problems.list });
}

function emailOf(text, problems) {
  if (text.includes('**')) return void problems.add('MASKED');
  if ([...text].length > 77) return void problems.add('WRONG_LENGTH');
  if (!email.test(text)) return void problems.add('INVALID');
  return text.toLowerCase();
}

/** A CPF, a CNPJ, a phone number or an EVP. */
function ofNumber(text, problems) {
  const compact = text.replace(between, '');
  const type = typeOf(text, compact);
  if (!type) return void problems.add('UNKNOWN_FORM') ?? {};
  if (compact.includes('*')) return void problems.add('MASKED') ?? { type };
  switch (type) {
    case 'PHONE':
      return { type, normalized: phoneOf(text, compact, problems) };
    case 'EVP':
      return { type, normalized: compact.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') };
    case 'CNPJ':
      if (isCNPJ(compact.toUpperCase())) return { type, normalized: compact.toUpperCase() };
      break;
    default:
      if (!isCPF(compact)) break;
      if (isMobile(compact) && punctuation(text) === undefined) problems.add('AMBIGUOUS');
      return { type, normalized: compact };
  }
  problems.add('CHECK_DIGITS');
  return { type };
}

/** The type by the number of letters and digits. An asterisk stands for any digit. */
function typeOf(text, compact) {
  const shape = compact.replaceAll('*', '0');
  if (/^\+\d+$/.test(shape)) return 'PHONE';
  if (/^[0-9a-f]{32}$/i.test(shape)) return 'EVP';
  if (/^[0-9a-z]{12}\d\d$/i.test(shape)) return 'CNPJ';
  if (/^\d{11}$/.test(shape)) {
    const written = punctuation(text);
    const plain = written === undefined && compact === shape;
    return written === 'PHONE' || (plain && !isCPF(compact) && isMobile(compact)) ? 'PHONE' : 'CPF';
  }
  return /^(\d{10}|0\d{11,12}|55\d{10,11})$/.test(shape) ? 'PHONE' : undefined;
}

/** The type whose usual punctuation eleven digits have: 529.982.247-25, or (11) 98765-4321. */
function punctuation(text) {
  const [, behind] = /\p{Dash_Punctuation}(\P{Dash_Punctuation}*)$/u.exec(text) ?? [];
  const digits = behind?.replace(between, '').length;
  if (/[()]/.test(text) || digits === 4) return 'PHONE';
  return digits === 2 ? 'CPF' : undefined;
}

/** The number with a plus and a country code. Any number with a plus is one, as in DICT. */
function phoneOf(text, compact, problems) {
  const international = compact.startsWith('+');
  let number = compact;
  if (!international) {
    problems.add('COUNTRY_CODE');
    number = /^55\d{10,11}$/.test(compact) ? `+${compact}` : `+55${compact.replace(/^0/, '')}`;
  }
  if (!/^\+[1-9]\d{1,14}$/.test(number)) return void problems.add('INVALID');
  const [, national] = /^\+55(\d*)$/.exec(number) ?? [];
  if (national === undefined) return number;
  const zero = /^\D*0\d(\D|$)/.test(text); // an area code such as (06), and not the 0 of long-distance calls
  const valid = zero || /^(\d{10}|\d\d9\d{8})$/.test(national);
  const problem = !valid ? 'INVALID' : zero || !isArea(national) ? 'AREA_CODE' : undefined;
  if (problem) problems.add(problem);
  return problem && !international ? undefined : number;
}

const checkDigit = (sum) => (sum % 11 < 2 ? 0 : 11 - (sum % 11));
const codes = (text) => [...text].map((character) => character.charCodeAt(0) - 48);
const allEqual = (list) => list.every((one) => one === list[0]);

/** Whether the last two of some digits are the check digits of the others, by the weights from the right. */
function isChecked(digits, weight) {
  return [2, 1].every((behind) => {
    const before = digits.slice(0, -behind);
    return digits.at(-behind) === checkDigit(before.reduce((sum, digit, i) => sum + digit * weight(before.length - 1 - i), 0));
  });
}

function isCPF(text) {
  const digits = codes(text);
  return !allEqual(digits) && isChecked(digits, (place) => place + 2);
}

function isCNPJ(text) {
  const digits = codes(text);
  return digits.some((digit) => digit !== 0) && isChecked(digits, (place) => (place % 8) + 2);
}
