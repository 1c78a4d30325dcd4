// The problems of a text: at most 32, each once.

const most = 32;

const invisible = /[\n\r\x85\u2028\u2029\p{Cf}]/gu;
const around = /^[\s\x85\p{Cf}]+|[\s\x85\p{Cf}]+$/gu; // \s is the white space of Unicode, but for the next line

/** The text without white space and invisible characters around it. */
export const trimmed = (text) => text.replace(around, '');

/** The trimmed text, without invisible characters within it. */
export const visible = (text) => trimmed(text).replace(invisible, '');

/** The text with a space for each line break. */
export const inOneLine = (text) => text.replace(/\r\n|[\n\r\x85\u2028\u2029]/g, ' ');

export class Problems {
  list = [];

  add(code, field) {
    if (this.list.length === most || this.list.some((one) => one.get('code') === code && one.get('field') === field)) return;
    this.list.push(new Map([['code', code], ...(field ? [['field', field]] : [])]));
  }
}
