// What the text of a Pix code says, by docs/derived.md ("Pix codes"), the type BRCode and the Banco Central's BR Code manual.
// Read brCode first.

import { Num } from './json.js';
import { present } from './moments.js';
import { pixKey } from './pixkey.js';
import { Problems, trimmed } from './problems.js';

const isASCII = (text) => /^[ -~]*$/.test(text);

/**
 * The members of BRCode. Lengths count characters, and line breaks are no part of the text. If then not all is right, but is
 * with lengths in bytes or with spaces instead of line breaks, the code is read so.
 */
export function brCode(text) {
  const found = new Problems();
  if (Buffer.byteLength(text) > 1024) {
    found.add('TOO_LONG');
    return new Code('', found).members();
  }
  const joined = found.trim(text);
  const code = new Code(joined, found);
  if (joined === '' || isASCII(text)) return code.members();
  const spaced = trimmed(text.replace(/\r\n|\n|\r/g, ' '));
  const others = [() => new Code(joined, found, true), () => new Code(spaced, found), () => new Code(spaced, found, true)];
  for (const read of [() => code, ...others]) {
    const reading = read();
    if (reading.whole && reading.crc === 'CORRECT') return reading.members();
  }
  return code.members();
}

// The fields behind the account, in the order of ids: the template, the path, whether it is required, the rule.
const fields = [
  ['', '00', true, (value) => value === '01'],
  ['', '01', false, (value) => value === '11' || value === '12'],
  ['', '52', true, (value) => /^\d{4}$/.test(value)],
  ['', '53', true, (value) => value === '986'],
  ['', '54', false, (value, { forCash }) => centsOf(value) > 0n || (forCash && centsOf(value) === 0n)], // Pix Saque
  ['', '58', true, (value) => value === 'BR'],
  ['', '59', true, (value) => [...value].length <= 25],
  ['', '60', true, (value) => [...value].length <= 15],
  ['', '61', false, (value) => [...value].length <= 10],
  ['62', '62.05', true, (value, { kind }) => value === '***' || kind === 'DYNAMIC' || /^[0-9A-Za-z]{0,25}$/.test(value)],
];

/** An amount in reais, with at most two digits of cents. */
function centsOf(text) {
  const [, reais, cents = ''] = text.length <= 13 ? /^(\d+)(?:\.(\d{0,2}))?$/.exec(text) ?? [] : [];
  return reais === undefined ? undefined : BigInt(reais + cents.padEnd(2, '0'));
}

class Code {
  problems = new Problems();
  values = new Map(); // by path
  cut = []; // the paths of templates that were not read to their end
  accounts = [];
  recurring = [];
  crc = 'MISSING';
  given = {};

  /**
   * @param {string} inner the text without what is around it
   * @param {Problems} found the problems of the text before
   * @param {boolean} inBytes whether lengths count bytes, instead of characters
   */
  constructor(inner, found, inBytes = false) {
    this.inBytes = inBytes;
    if (inBytes) this.problems.add('LENGTH_IN_BYTES');
    found.list.forEach((problem) => this.problems.add(problem.get('code')));
    if (inner === '') return;
    this.units = inBytes ? [...Buffer.from(inner).toString('latin1')] : [...inner];
    this.#template(this.units, '');
    this.#account();
    this.#fields();
    this.#checksum();
  }

  /** Whether all was read. */
  get whole() {
    return this.cut.length === 0;
  }

  text(units) {
    return this.inBytes ? Buffer.from(units.join(''), 'latin1').toString() : units.join('');
  }

  /** Reads ids, lengths and values. */
  #template(units, path) {
    const seen = new Set();
    let before; // the value that a wrong length may have cut
    const stop = (code, field) => {
      this.values.delete(before);
      this.problems.add(code, field);
      this.cut.push(path);
    };
    for (let at = 0; at < units.length; ) {
      const [, id, length] = /^(\d\d)(\d\d)$/.exec(units.slice(at, at + 4).join('')) ?? [];
      if (id === undefined) return stop('MALFORMED', path);
      const here = path ? `${path}.${id}` : id;
      const part = units.slice(at + 4, at + 4 + Number(length));
      const head = units.slice(0, at + 4);
      at += 4 + part.length;
      const splits = this.inBytes && at < units.length && /[\x80-\xbf]/.test(units[at]); // the end is within a character
      if (part.length < Number(length) || splits) return stop('WRONG_LENGTH', here);
      if (part.length === 0) {
        this.problems.add('WRONG_LENGTH', here);
      } else if (seen.has(id)) {
        this.problems.add('DUPLICATE', here);
        before = undefined;
      } else if (isTemplate(path, id)) {
        this.#template(part, here);
        before = undefined;
      } else {
        this.#value(here, path, id, this.text(part));
        before = here;
      }
      seen.add(id);
      if (here === '63') {
        this.head = head;
        if (at < units.length) this.problems.add('TRAILING_TEXT');
        return undefined;
      }
    }
    return undefined;
  }

  #value(here, path, id, value) {
    this.values.set(here, value);
    if (!isASCII(value)) this.problems.add('CHARACTERS', here);
    if (id !== '00' || value.toLowerCase() !== 'br.gov.bcb.pix') return;
    if (path >= '26' && path <= '51') this.accounts.push(path);
    else if (path >= '80') this.recurring.push(path);
  }

  #url(template) {
    const url = this.values.get(`${template}.25`);
    if (url?.includes('://')) this.problems.add('INVALID', `${template}.25`);
    return url;
  }

  /** The first account of Pix, and the template of recurring payments. */
  #account() {
    const [at, ...others] = this.accounts;
    if (at === undefined) {
      if (this.whole) this.problems.add('NOT_PIX');
      return;
    }
    others.forEach((other) => this.problems.add('DUPLICATE', other));
    const key = this.values.get(`${at}.01`);
    const description = this.values.get(`${at}.02`);
    const url = this.#url(at);
    if (key !== undefined && pixKey(key).get('normalized') !== key) this.problems.add('INVALID', `${at}.01`);
    if (url !== undefined && description !== undefined) this.problems.add('INVALID', `${at}.02`);
    const recurrenceUrl = this.recurring.length > 0 ? this.#url(this.recurring[0]) : undefined;
    const kind = (key === undefined) === (url === undefined) ? undefined : key === undefined ? 'DYNAMIC' : 'STATIC';
    this.given = { kind, key, keyText: key === undefined ? undefined : pixKey(key), url, recurrenceUrl, description };
    if (key !== undefined && url !== undefined) {
      this.problems.add('KEY_AND_URL', at);
    } else if (kind === undefined && recurrenceUrl === undefined && !this.#isCut(at) && !this.cut.some((path) => path >= '80')) {
      this.problems.add('NO_KEY_OR_URL', at);
    }
  }

  /** Whether the end of a template is not known. */
  #isCut(path) {
    return this.cut.includes('') || this.cut.includes(path);
  }

  #fields() {
    if (this.values.has('00') && this.units.slice(0, 2).join('') !== '00') this.problems.add('MISPLACED', '00');
    const facts = { kind: this.given.kind, forCash: Boolean(this.values.get(`${this.accounts[0]}.03`)) };
    for (const [template, path, required, valid] of fields) {
      const value = this.values.get(path);
      if (value === undefined && required && !this.#isCut(template)) this.problems.add('MISSING', path);
      else if (value !== undefined && !valid(value, facts)) this.problems.add('INVALID', path);
    }
  }

  /**
   * Checks the CRC: over UTF-8 or ISO 8859-1, also without leading zeros. It is at the end of the text if a field before it
   * cannot be read.
   */
  #checksum() {
    const isRight = (value, head) => {
      if (!/^[0-9A-F]{1,4}$/i.test(value)) return false;
      const text = this.text(head);
      const forms = /^[\0-\xff]*$/.test(text) ? ['utf8', 'latin1'] : ['utf8'];
      return forms.some((form) => parseInt(value, 16) === crcOf(Buffer.from(text, form)));
    };
    const at = this.units.slice(0, -1).join('').lastIndexOf('6304');
    if (!this.head && this.cut.includes('') && at >= 0) {
      const start = [...this.units.slice(0, -1).join('').slice(0, at)].length + 4;
      const [head, rest] = [this.units.slice(0, start), this.text(this.units.slice(start))];
      if (Buffer.byteLength(rest) === 4 || isRight(rest, head)) {
        this.head = head;
        this.values.set('63', rest);
      }
    }
    const value = this.values.get('63');
    if (value === undefined) {
      if (!this.cut.includes('')) this.problems.add('MISSING', '63');
      return;
    }
    const right = isRight(value, this.head) && (value.length === 4 || this.cut.includes(''));
    this.crc = right ? 'CORRECT' : 'WRONG';
    if (!right) this.problems.add('WRONG_CRC', '63');
  }

  members() {
    const value = (path) => this.values.get(path);
    const txid = value('62.05');
    const cents = value('54') === undefined ? undefined : centsOf(value('54'));
    return present({
      ...this.given,
      oneTime: value('01') === '12',
      amount: cents === undefined ? null : new Num(String(cents)),
      merchantName: value('59'), merchantCity: value('60'), merchantCategory: value('52'), postalCode: value('61'),
      country: value('58'), currency: value('53'),
      txid: txid === '***' ? null : txid,
      crc: this.crc,
      wellFormed: this.problems.list.length === 0,
      problems: this.problems.list,
    });
  }
}

/** Whether a field consists of fields. */
function isTemplate(path, id) {
  if (path === '62') return id >= '50';
  return path === '' && ((id >= '26' && id <= '51') || id === '62' || id === '64' || id >= '80');
}

/** CRC-16/CCITT-FALSE, bit by bit. */
function crcOf(bytes) {
  let crc = 0xffff;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const carry = (crc >> 15) ^ ((byte >> bit) & 1);
      crc = ((crc << 1) & 0xffff) ^ (carry ? 0x1021 : 0);
    }
  }
  return crc;
}
