// The times of a record that derived fields compare (docs/derived.md). A time without an offset is in an unknown time zone: it
// counts only if no time of the record has one.

import { integer, Num } from './json.js';

const form = /^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i;
const longest = '2006-01-02T15:04:05.999999999999999999-07:00'.length;

/** The nanoseconds since 1970 of a time, in UTC without an offset; undefined for a text that is not a time. */
function instantOf(text) {
  const [, day, hour, minute, second = '00', fraction = '', offset = 'Z'] = text.length <= longest ? form.exec(text) ?? [] : [];
  const [sign, hours = '0', minutes = '0'] = offset.match(/[+-]|\d\d/g) ?? [];
  if (day === undefined || hour > '23' || minute > '59' || second > '59' || hours > '23' || minutes > '59') return undefined;
  const midnight = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight.valueOf()) || !midnight.toISOString().startsWith(day)) return undefined;
  const ahead = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const seconds = midnight.valueOf() / 1000 + Number(hour) * 3600 + (Number(minute) - ahead) * 60 + Number(second);
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
}

/**
 * The times of several things, some of which have a value that is no time.
 *
 * @param {any[]} values
 * @returns {{ text: string | null, at: bigint | undefined }[]} text is a string as it was sent; at is undefined if it is not valid
 */
export function moments(values) {
  const texts = values.map(textOf);
  const parsed = texts.map((text) => (text === null ? undefined : instantOf(text)));
  const zoned = texts.map((text) => text !== null && /(Z|:.*[+-][\d:]+)$/i.test(text));
  const anyZone = parsed.some((at, i) => at !== undefined && zoned[i]);
  return texts.map((text, i) => ({ text, at: zoned[i] === anyZone ? parsed[i] : undefined }));
}

/** The milliseconds from one time to a later one, with all digits. */
export function millisecondsBetween(from, until) {
  const digits = String(until - from).padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0+$/, '');
  return new Num(digits.slice(0, -6) + (fraction && `.${fraction}`));
}

/** A string that a client can read, or null. */
export const textOf = (value) => (typeof value === 'string' && value.isWellFormed() ? value : null);

/** A number with all digits, or null. */
export const numberOf = (value) => (value instanceof Num ? value : null);

/** A whole number of 32 bits as a number; undefined for another value. */
export function intOf(value) {
  const whole = value instanceof Num ? integer(value.text) : null;
  return whole !== null && whole === BigInt.asIntN(32, whole) ? Number(whole) : undefined;
}

/** A Map of the members that are not null or undefined. */
export const present = (members) => new Map(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
