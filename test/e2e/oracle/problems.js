// The problems of a text: at most 32, each once.

const most = 32;

// White space of Unicode: \s without the byte order mark, and with the next line.
const around = /^(?:(?!\ufeff)[\s\x85])+|(?:(?!\ufeff)[\s\x85])+$/g;

/** The text without white space around it. */
export const trimmed = (text) => text.replace(around, '');

export class Problems {
  list = [];

  add(code, field) {
    if (this.list.length === most || this.list.some((one) => one.get('code') === code && one.get('field') === field)) return;
    this.list.push(new Map([['code', code], ...(field ? [['field', field]] : [])]));
  }

  /** The text without white space around it, which is a problem. */
  trim(text) {
    const inner = trimmed(text);
    if (inner === '') this.add('EMPTY');
    else if (inner !== text) this.add('WHITE_SPACE');
    return inner;
  }
}
