// The problems of a text: at most 32, each once.

const most = 32;

// White space of Unicode: \s without the byte order mark, and with the next line.
const around = /^(?:(?!\ufeff)[\s\x85])+|(?:(?!\ufeff)[\s\x85])+$/g;

// What programs put into a text when it is copied.
const invisible = /[\r\n\x85\u2028\u2029\p{Cf}]/gu;

/** The text without what is invisible in it and white space around it. */
export const trimmed = (text) => text.replace(invisible, '').replace(around, '');

export class Problems {
  list = [];

  add(code, field) {
    if (this.list.length === most || this.list.some((one) => one.get('code') === code && one.get('field') === field)) return;
    this.list.push(new Map([['code', code], ...(field ? [['field', field]] : [])]));
  }

  /** The trimmed text. What it lacks is a problem. */
  trim(text) {
    const inner = trimmed(text);
    if (inner === '') this.add('EMPTY');
    else if (inner !== text) this.add('WHITE_SPACE');
    return inner;
  }
}
