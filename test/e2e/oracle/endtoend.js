// What the text of an EndToEndId says (docs/derived.md, and the type EndToEndId): one letter, eight digits of an ISPB, a minute
// and eleven letters or digits.

import { present } from './moments.js';
import { Problems } from './problems.js';

const parts = [
  ['kind', 1, (text) => ({ E: 'PAYMENT', D: 'REFUND' })[text]],
  ['ispb', 8, (text) => (/^\d+$/.test(text) ? text : undefined)],
  ['minute', 12, minuteOf],
  ['sequence', Infinity, (text) => (/^[0-9A-Za-z]+$/.test(text) ? text : undefined)],
];

/** The parts of the text of an EndToEndId, and its problems. */
export function endToEndId(text) {
  const problems = new Problems();
  const members = {};
  if (Buffer.byteLength(text) > 255) {
    problems.add('TOO_LONG');
  } else if (problems.trim(text) !== '') {
    const trimmed = problems.trim(text);
    const complete = [...trimmed].length === 32;
    if (!complete) problems.add('WRONG_LENGTH');
    // The parts have a number of bytes: a text with other characters than ASCII has wrong parts in any case.
    let rest = Buffer.from(trimmed).toString('latin1');
    for (const [name, size, read] of parts) {
      if (name === 'sequence' ? !complete : rest.length < size) break;
      const value = read(rest.slice(0, size));
      if (value === undefined) problems.add('INVALID', name);
      else members[name] = value;
      rest = rest.slice(size);
    }
  }
  return present({ ...members, wellFormed: problems.list.length === 0, problems: problems.list });
}

function minuteOf(text) {
  const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  if (year === undefined || year === '0000' || hour > '23' || minute > '59') return undefined;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(date.valueOf()) || !date.toISOString().startsWith(`${year}-${month}-${day}`)) return undefined;
  return `${year}-${month}-${day}T${hour}:${minute}:00Z`;
}
