// The sums of a list: depositSummary and withdrawalSummary, by the descriptions of the schema and docs/derived.md. A summary
// and its groups are Maps, whose fields records.js reads like those of records. Read summary first.

import { getDirectiveValues, GraphQLIncludeDirective, GraphQLSkipDirective, Kind } from 'graphql';

import { allow } from './failures.js';
import { integer, Num } from './json.js';

const dates = { CREATED_AT: 'createdAt', PAYMENT_DATE: 'paymentDate', PROCESSED_DATE: 'processedDate', REFUND_DATE: 'refundDate' };
const parts = { STATUS: 'status', ORIGIN: 'depositOrigin', DAY: 'day' };

/**
 * The resolver of a summary.
 *
 * @param {string} moved the member with the amount that was moved
 * @param {(filter: object) => (page: number) => Promise<Map>} pagesOf checks a filter, and returns how its pages are fetched
 */
export function summary(moved, pagesOf) {
  return async (_, { filter, groupBy, timeZone, dayOf, fromDay, toDay, maxPages }, _context, info) => {
    const by = groupBy ?? [];
    allow(maxPages >= 1 && new Set(by).size === by.length && /^[A-Z]/.test(timeZone));
    allow([fromDay, toDay].every((day) => day == null || isDate(day)) && !(fromDay > toDay));
    const dayIn = allow(daysIn(timeZone));
    const needs = { by, moved, dayIn, fromDay, toDay, date: dates[dayOf], fees: needsFees(info, info.fieldNodes) };
    const fetch = pagesOf(filter ?? {});
    const all = new Sums(moved);
    const groups = new Map();
    const ids = new Set();
    let [pagesRead, unreadable, records, total, more, reason] = [0, 0, 0, null, true, null];
    while (more && pagesRead < maxPages) {
      const page = await fetch(++pagesRead);
      const count = (name) => Number(page.get(name).text);
      if (total !== null && total !== count('total')) reason ??= 'TOTAL_CHANGED';
      total = count('total');
      more = count('currentPage') < count('totalPages');
      for (const record of page.get('data')) {
        records++;
        const id = idOf(record);
        if (id !== null && ids.has(id)) {
          reason ??= 'RECORD_REPEATED';
          continue;
        }
        ids.add(id);
        let read;
        try {
          read = readBy(record, needs);
        } catch {
          unreadable++;
          reason ??= 'RECORD_UNREADABLE';
          continue;
        }
        if (read === null) continue;
        all.add(read.amounts);
        if (by.length === 0) continue;
        const key = JSON.stringify(read.key);
        if (!groups.has(key)) groups.set(key, new Sums(moved, read.key));
        groups.get(key).add(read.amounts);
      }
    }
    if (more) reason ??= 'PAGE_LIMIT';
    if (records !== total) reason ??= 'COUNT_MISMATCH';
    const counted = { unreadable: whole(unreadable), pagesRead: whole(pagesRead), complete: reason === null, reason };
    const sorted = [...groups.values()].sort((a, b) => a.compare(b)).map((group) => group.members());
    return new Map([...all.members(reason === null && all.count === 0), ...Object.entries(counted), ['groups', sorted]]);
  };
}

/** The days of a time zone; undefined if it does not exist. */
function daysIn(timeZone) {
  try {
    return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  } catch {
    return undefined;
  }
}

function ensure(value) {
  if (!value) throw new Error('invalid');
  return value;
}

/** The id of a record; null if it has no valid one. */
function idOf(record) {
  const id = record instanceof Map ? record.get('id') : null;
  return typeof id === 'string' && id !== '' && id.isWellFormed() ? id : null;
}

const whole = (number) => new Num(String(number));

function isDate(day) {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? new Date(`${day}T00:00:00Z`) : null;
  return at !== null && !Number.isNaN(at.valueOf()) && at.toISOString().startsWith(day);
}

/** Whether a selection has a sum that needs `feeAmount`, in all or by group. */
function needsFees(info, selections) {
  const active = (node) => getDirectiveValues(GraphQLSkipDirective, node, info.variableValues)?.if !== true
    && getDirectiveValues(GraphQLIncludeDirective, node, info.variableValues)?.if !== false;
  return selections.some((selection) => selection.selectionSet.selections.filter(active).some((node) => {
    if (node.kind === Kind.FRAGMENT_SPREAD) return needsFees(info, [info.fragments[node.name.value]]);
    if (node.kind === Kind.FIELD && node.name.value !== 'groups') return /^(feeAmount|netAmount)$/.test(node.name.value);
    return needsFees(info, [node]);
  }));
}

/** What a record adds to the sums; null if it is on another day. Throws if it is invalid in what is needed. */
function readBy(record, { by, moved, dayIn, fromDay, toDay, date, fees }) {
  ensure(record instanceof Map && text(record, 'id') !== '');
  const bounded = fromDay != null || toDay != null;
  let day = null;
  if (bounded || by.includes('DAY')) {
    const at = date === 'createdAt' ? text(record, date) : optional(record, date, text);
    if (at !== null) day = dayIn.format(instant(at)).padStart('2026-01-01'.length, '0');
    if (bounded && (day === null || day < (fromDay ?? '') || day > (toDay ?? day))) return null;
  }
  const amount = cents(record, 'amount');
  const movedAmount = optional(record, moved, moved === 'amountPaid' ? cents : decimal);
  const refundAmount = optional(record, 'refundAmount', cents);
  const feeAmount = fees ? optional(record, 'feeAmount', decimal) : null;
  const key = by.map((part) => [parts[part], part === 'DAY' ? day : text(record, parts[part])]);
  return { key, amounts: { amount, [moved]: movedAmount, refundAmount, feeAmount } };
}

const optional = (record, name, read) => (record.get(name) == null ? null : read(record, name));

function text(record, name) {
  const value = record.get(name);
  ensure(typeof value === 'string' && value.isWellFormed());
  return value;
}

/** A time whose instant is known. Its offset may lack its colon or its minutes. */
function instant(at) {
  const [, day, clock, hours, minutes = '00'] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|([+-]\d\d):?(\d\d)?)$/i.exec(at) ?? [];
  ensure(day !== undefined && isDate(day) && clock < '24'); // JavaScript has the hour 24
  const time = new Date(`${day}T${clock}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`);
  ensure(!Number.isNaN(time.valueOf()));
  return time;
}

function cents(record, name) {
  const value = record.get(name);
  ensure(value instanceof Num);
  const exact = integer(value.text);
  ensure(exact !== null);
  return { digits: exact, scale: 0 };
}

/** A number with a point; one with very many digits cannot be summed. */
function decimal(record, name) {
  const value = record.get(name);
  ensure(value instanceof Num && value.text.length <= 80);
  const [, sign, units, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(value.text);
  ensure(Math.abs(Number(exponent)) <= 40);
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(units + fraction) * (sign ? -1n : 1n);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/** An exact sum. */
class Total {
  digits = 0n;
  scale = 0;
  empty = true;

  add({ digits, scale }, sign = 1n) {
    const common = Math.max(scale, this.scale);
    const at = (number, from) => number * 10n ** BigInt(common - from);
    this.digits = at(this.digits, this.scale) + sign * at(digits, scale);
    this.scale = common;
    this.empty = false;
  }

  toString() {
    const digits = (this.digits < 0n ? -this.digits : this.digits).toString().padStart(this.scale + 1, '0');
    const point = digits.length - this.scale;
    const fraction = digits.slice(point).replace(/0+$/, '');
    return `${this.digits < 0n ? '-' : ''}${digits.slice(0, point)}${fraction && '.'}${fraction}`;
  }
}

/** The sums of all records, or of a group with its key: pairs of a member and a value. */
class Sums {
  count = 0;
  feeMissing = false; // of a deposit with an amount paid

  constructor(moved, key = []) {
    this.moved = moved;
    this.key = key;
    this.totals = Object.fromEntries(['amount', moved, 'refundAmount', 'feeAmount', 'netAmount'].map((name) => [name, new Total()]));
  }

  add(amounts) {
    this.count++;
    for (const [name, amount] of Object.entries(amounts)) if (amount !== null) this.totals[name].add(amount);
    const { amountPaid, feeAmount, refundAmount } = amounts;
    if (!amountPaid) return;
    if (!feeAmount) this.feeMissing = true;
    this.totals.netAmount.add(amountPaid);
    for (const less of [feeAmount, refundAmount]) if (less) this.totals.netAmount.add(less, -1n);
  }

  /** The fields; a sum without terms is null, unless it is known that there are no records. So is the net without each fee. */
  members(none = false) {
    const unknown = (name, total) => (total.empty && !none) || (name === 'netAmount' && this.feeMissing);
    const totals = Object.entries(this.totals).map(([name, total]) => [name, unknown(name, total) ? null : String(total)]);
    return new Map([...this.key, ['count', whole(this.count)], ...totals]);
  }

  /** The order of groups: by the first part of the key, then by the second; no day is before all days. */
  compare(other) {
    const orders = this.key.map(([, value], i) => Buffer.compare(Buffer.from(value ?? ''), Buffer.from(other.key[i][1] ?? '')));
    return orders.find((order) => order !== 0) ?? 0;
  }
}
