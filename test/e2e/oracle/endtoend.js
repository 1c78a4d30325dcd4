// What the text of an EndToEndId says (docs/derived.md, and the type EndToEndId): one letter, eight digits of an ISPB, a minute
// and eleven letters or digits.

import { present } from './moments.js';
import { Problems, visible } from './problems.js';

const parts = [
  ['kind', 1, (text) => ({ E: 'PAYMENT', D: 'REFUND' })[text]],
  ['ispb', 8, (text) => (/^\d+$/.test(text) ? text : undefined)],
  ['minute', 12, minuteOf],
  ['sequence', 11, (text) => (/^[0-9A-Za-z]+$/.test(text) ? text : undefined)],
];

/** The parts of the text of an EndToEndId, and its problems. */
export function endToEndId(text) {
  const problems = new Problems();
  const members = {};
  const rest = [...visible(text)];
  if (Buffer.byteLength(text) > 255) {
    problems.add('TOO_LONG');
  } else if (rest.length === 0) {
    problems.add('EMPTY');
  } else {
    if (rest.join('') !== text) problems.add('WHITE_SPACE');
    const complete = rest.length === 32;
    if (!complete) problems.add('WRONG_LENGTH');
    for (const [name, size, read] of parts) {
      if (rest.length < size || (name === 'sequence' && !complete)) break;
      const value = read(rest.splice(0, size).join(''));
      if (value === undefined) problems.add('INVALID', name);
      else members[name] = value;
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
