// What the text of a Pix code says, by docs/derived.md ("Pix codes"), the type BRCode and the Banco Central's BR Code manual.
// Read brCode first.

import { Num } from './json.js';
import { present } from './moments.js';
import { pixKey } from './pixkey.js';
import { inOneLine, Problems, trimmed, visible } from './problems.js';

const isASCII = (text) => /^[ -~]*$/.test(text);

/** The members of BRCode. */
export function brCode(text) {
  if (Buffer.byteLength(text) > 1024) return new Code('', 'TOO_LONG').members();
  if (visible(text) === '') return new Code('', 'EMPTY').members();
  let first;
  for (const inner of new Set([visible(text), visible(inOneLine(text)), trimmed(text)])) {
    for (const inBytes of isASCII(inner) ? [false] : [false, true]) {
      const code = new Code(inner, inBytes && 'LENGTH_IN_BYTES', inner !== text && 'WHITE_SPACE');
      if (code.isRight) return code.members();
      first ??= code;
    }
  }
  return first.members();
}

// The fields behind the account, in the order of ids: the template, the path, whether it is required, the rule.
const fields = [
  ['', '00', true, (value) => value === '01'],
  ['', '01', false, (value) => value === '11' || value === '12'],
  ['', '52', true, (value) => /^\d{4}$/.test(value)],
  ['', '53', true, (value) => value === '986'],
  ['', '54', false, (value, { forCash }) => centsOf(value) > 0n || (forCash && centsOf(value) === 0n)],
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
  facts = {}; // that other fields depend on
  given = {};

  /**
   * @param {string} inner the text without what is around it
   * @param {(string | false)[]} problems those of the text as a whole; with LENGTH_IN_BYTES, lengths count bytes
   */
  constructor(inner, ...problems) {
    problems.filter(Boolean).forEach((problem) => this.problems.add(problem));
    this.inBytes = problems.includes('LENGTH_IN_BYTES');
    if (inner === '') return;
    this.units = this.inBytes ? [...Buffer.from(inner).toString('latin1')] : [...inner];
    this.#template(this.units, '');
    this.#account();
    this.#fields();
    this.#checksum();
  }

  get isRight() {
    return this.cut.length === 0 && this.crc === 'CORRECT';
  }

  text(units) {
    return this.inBytes ? Buffer.from(units.join(''), 'latin1').toString() : units.join('');
  }

  /** Reads ids, lengths and values. */
  #template(units, path) {
    const seen = new Set();
    let before; // the path of the value that a wrong length may have cut
    const stop = (code, field) => {
      this.values.delete(before);
      this.problems.add(code, field);
      this.cut.push(path);
    };
    for (let at = 0; at < units.length; ) {
      const [, id, length] = /^(\d\d)(\d\d)$/.exec(units.slice(at, at + 4).join('')) ?? [];
      if (id === undefined) return stop('MALFORMED', path);
      const here = path ? `${path}.${id}` : id;
      at += 4;
      let size = Number(length);
      if (isOfPix(here) && /^\d0014br\.gov\.bcb\.pix/i.test(units.slice(at, at + 19).join('')) && size >= 10) {
        this.problems.add('WRONG_LENGTH', here);
        size = size * 10 + Number(units[at]);
        at++;
      }
      const head = units.slice(0, at);
      const part = units.slice(at, at + size);
      at += part.length;
      if (part.length < size) return stop('WRONG_LENGTH', here);
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
    if (isOfPix(path)) (path >= '80' ? this.recurring : this.accounts).push(path);
  }

  #url(template) {
    const url = this.values.get(`${template}.25`);
    if (url?.includes('://')) this.problems.add('INVALID', `${template}.25`);
    return url;
  }

  /** The first account of Pix, and the template of recurring payments. */
  #account() {
    const [at, ...others] = this.accounts;
    const recurrenceUrl = this.recurring.length > 0 ? this.#url(this.recurring[0]) : undefined;
    this.given = { recurrenceUrl };
    if (at === undefined) {
      if (!this.cut.some((path) => path === '' || (path >= '26' && path <= '51'))) this.problems.add('NOT_PIX');
      return;
    }
    others.forEach((other) => this.problems.add('DUPLICATE', other));
    const key = this.values.get(`${at}.01`);
    const description = this.values.get(`${at}.02`);
    const url = this.#url(at);
    if (key !== undefined && pixKey(key).get('normalized') !== key) this.problems.add('INVALID', `${at}.01`);
    if (url !== undefined && description !== undefined) this.problems.add('INVALID', `${at}.02`);
    const cash = this.values.get(`${at}.03`);
    const forCash = cash !== undefined && /^\d{8}$/.test(cash) && url === undefined;
    if (cash !== undefined && !forCash) this.problems.add('INVALID', `${at}.03`);
    const kind = (key === undefined) === (url === undefined) ? undefined : key === undefined ? 'DYNAMIC' : 'STATIC';
    this.facts = { kind, forCash };
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
    for (const [template, path, required, valid] of fields) {
      const value = this.values.get(path);
      if (value === undefined && required && !this.#isCut(template)) this.problems.add('MISSING', path);
      else if (value !== undefined && !valid(value, this.facts)) this.problems.add('INVALID', path);
    }
  }

  /** Checks the CRC. In a text that is not read to there, it is behind the last 6304. */
  #checksum() {
    const { units } = this;
    for (let at = units.length - 1; !this.head && this.cut.includes('') && at >= Math.max(4, units.length - 4); at--) {
      if (units.slice(at - 4, at).join('') !== '6304') continue;
      const rest = this.text(units.slice(at));
      if (units.length - at === 4 || this.#isCRC(rest, units.slice(0, at))) this.values.set('63', rest);
      this.head = units.slice(0, at);
    }
    const value = this.values.get('63');
    if (value === undefined) {
      if (!this.cut.includes('')) this.problems.add('MISSING', '63');
      return;
    }
    const right = this.#isCRC(value, this.head) && (value.length === 4 || this.cut.includes(''));
    this.crc = right ? 'CORRECT' : 'WRONG';
    if (!right) this.problems.add('WRONG_CRC', '63');
  }

  /** Whether a text is the CRC of another one, in UTF-8 or in ISO 8859-1, maybe without leading zeros. */
  #isCRC(value, units) {
    const text = this.text(units);
    const forms = [Buffer.from(text), ...([...text].every((one) => one <= '\xff') ? [Buffer.from(text, 'latin1')] : [])];
    return /^[0-9A-F]{1,4}$/i.test(value) && forms.some((bytes) => parseInt(value, 16) === crcOf(bytes));
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

/** Whether a field consists of fields: of Pix or another arrangement, additional data, or names in another language. */
function isTemplate(path, id) {
  if (path === '62') return id >= '50';
  return path === '' && (isOfPix(id) || id === '62' || id === '64');
}

/** Whether a path is one of those for accounts, or for any arrangement. */
function isOfPix(path) {
  return path.length === 2 && ((path >= '26' && path <= '51') || path >= '80');
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
