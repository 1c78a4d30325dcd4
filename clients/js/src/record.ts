// The record of a response: the data of an operation whose only field returns one.

import type { Live, Result } from './result.js';

/** What this package reads of a record, as far as the operation selects it. */
export interface Watched {
  status?: string;
  updatedAt?: string;
  statusHistory?: readonly (Entry | null)[];
  live?: Live | null;
}

interface Entry {
  status: string;
  date: string;
}

export const recordOf = ({ data }: Result): Watched | null | undefined =>
  Object.values(data ?? {})[0] as Watched | null | undefined;

/** Whether a record has reached one of some statuses, over all responses with it. */
export class Reached {
  #old?: readonly string[]; // the entries of the first response, which do not count without `since`
  #after = NaN; // the time of the latest of them that has one of the statuses

  /** Whether the record has one of the statuses, or has had it since a time. */
  by({ status, statusHistory }: Watched, until: readonly string[], since?: string | null): boolean {
    const entries = (statusHistory ?? []).filter((entry) => entry && until.includes(entry.status)) as Entry[];
    if (!this.#old) {
      this.#old = since ? [] : entries.map(keyOf);
      if (this.#old.length > 0) this.#after = Math.max(...entries.map(({ date }) => timeOf(date)));
    }
    return until.includes(status!) || entries.some((entry) =>
      since && !this.#old!.includes(keyOf(entry)) && timeOf(entry.date) >= timeOf(since));
  }

  /** `since` for the gateway: after the entries that do not count, for which it would respond at once. */
  since(since?: string | null): string | null | undefined {
    return since && this.#after >= timeOf(since) ? new Date(this.#after + 1).toISOString() : since;
  }
}

const keyOf = ({ status, date }: Entry): string => `${status} ${date}`;

/** A time in milliseconds. As for the gateway, one without an offset is UTC, and an offset may lack its colon or its minutes. */
const timeOf = (text: string): number => {
  const [, time, hours, minutes = '00'] = /^([^:]*:[\d:.]+)(?:Z|([+-]\d\d):?(\d\d)?)?$/i.exec(text.replace(' ', 'T')) ?? [];
  return Date.parse(`${time}${hours ? `${hours}:${minutes}` : 'Z'}`);
};
