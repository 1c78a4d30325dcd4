// JSON without loss: numbers keep their digits, and objects are Maps, so that no member is lost because of a
// name such as __proto__. JSON.parse would round numbers beyond 2^53, and this comparison is about such amounts.

/** A number as it was written. */
export class Num {
  constructor(text) {
    this.text = text;
  }
}

/**
 * Parses a JSON text.
 *
 * @param {string} text
 * @returns {null | boolean | string | Num | any[] | Map<string, any>}
 */
export function parse(text) {
  const parser = new Parser(text);
  const value = parser.value();
  parser.space();
  if (parser.at !== text.length) parser.fail();
  return value;
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

class Parser {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  fail() {
    throw new SyntaxError(`invalid JSON at ${this.at}: ${this.text.slice(this.at, this.at + 40)}`);
  }

  space() {
    for (;;) {
      const c = this.text.charCodeAt(this.at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return;
      this.at++;
    }
  }

  value() {
    this.space();
    switch (this.text[this.at]) {
      case '{':
        return this.object();
      case '[':
        return this.array();
      case '"':
        return this.string();
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  word(word, value) {
    if (!this.text.startsWith(word, this.at)) this.fail();
    this.at += word.length;
    return value;
  }

  number() {
    number.lastIndex = this.at;
    const match = number.exec(this.text);
    if (!match) this.fail();
    this.at = number.lastIndex;
    return new Num(match[0]);
  }

  string() {
    let end = this.text.indexOf('"', this.at + 1);
    while (end > 0 && escaped(this.text, end)) end = this.text.indexOf('"', end + 1);
    if (end < 0) this.fail();
    const inner = this.text.slice(this.at + 1, end);
    const whole = inner.includes('\\') || /[\0-\x1f]/.test(inner) ? JSON.parse(`"${inner}"`) : inner;
    this.at = end + 1;
    return whole;
  }

  array() {
    const list = [];
    this.at++;
    this.space();
    if (this.text[this.at] === ']') return this.at++, list;
    for (;;) {
      list.push(this.value());
      if (this.separator(']')) return list;
    }
  }

  object() {
    const members = new Map();
    this.at++;
    this.space();
    if (this.text[this.at] === '}') return this.at++, members;
    for (;;) {
      this.space();
      if (this.text[this.at] !== '"') this.fail();
      const name = this.string();
      this.space();
      if (this.text[this.at++] !== ':') this.fail();
      members.set(name, this.value());
      if (this.separator('}')) return members;
    }
  }

  /** Reads a comma, or the end of a list or object, and returns whether it was the end. */
  separator(end) {
    this.space();
    const c = this.text[this.at++];
    if (c !== end && c !== ',') this.fail();
    return c === end;
  }
}

/** Whether a quote is escaped: an odd number of backslashes precedes it. */
function escaped(text, quote) {
  let begin = quote;
  while (text[begin - 1] === '\\') begin--;
  return (quote - begin) % 2 === 1;
}

/** Encodes a parsed value, or data of graphql-js. */
export function write(value) {
  if (value instanceof Num) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (value instanceof Map) return `{${[...value].map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(',')}}`;
  if (value !== null && typeof value === 'object') return write(new Map(Object.entries(value)));
  return JSON.stringify(value);
}

/** The 64-bit integer value of a JSON number such as 1500, 1500.0 or 1.5e3, as a BigInt; null for any other number. */
export function integer(text) {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  const shift = Number(exponent) - fraction.length;
  if (Math.abs(Number(exponent)) > 40 || text.length > 80) return null;
  let digits = whole + fraction;
  if (shift >= 0) {
    digits += '0'.repeat(shift);
  } else {
    if (/[1-9]/.test(digits.slice(shift))) return null;
    digits = digits.slice(0, shift) || '0';
  }
  const value = BigInt(sign + digits);
  return value === BigInt.asIntN(64, value) ? value : null;
}
