// JSON that means the same in another notation: escapes in texts and names, members that are overwritten by a later one,
// white space.

import { Num } from './json.js';

const overwritten = ['null', '0', '"PAID"', '"x"', '{}', '[]', '[{}]', '{"id":"x"}'];

/** Encodes a parsed value oddly. */
export function writeOddly(value, random) {
  const space = () => (random.percent(3) ? random.of([' ', '\n', '\t', '\r\n']) : '');
  const encode = (part) => {
    if (part instanceof Num) return part.text;
    if (Array.isArray(part)) return `[${part.map((element) => space() + encode(element)).join(`${space()},`)}${space()}]`;
    if (part instanceof Map) return `{${[...part].map(([name, member]) => space() + memberOf(name, member)).join(`${space()},`)}}`;
    return typeof part === 'string' ? textOf(part, random) : String(part);
  };
  const memberOf = (name, member) => {
    const before = random.percent(4) ? `${textOf(name, random)}:${random.of(overwritten)},` : '';
    return `${before}${textOf(name, random)}${space()}:${space()}${encode(member)}`;
  };
  return encode(value);
}

/** A string with some of its characters as escapes. */
function textOf(text, random) {
  if (!random.percent(8)) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, i) => text[i]);
  const escaped = (unit) => {
    const code = unit.charCodeAt(0);
    // Halves of a surrogate pair stay together.
    if ((code >= 0xd800 && code <= 0xdfff) || random.percent(25)) return `\\u${code.toString(16).padStart(4, '0')}`;
    return unit === '/' && random.percent(50) ? '\\/' : JSON.stringify(unit).slice(1, -1);
  };
  return `"${units.map(escaped).join('')}"`;
}
