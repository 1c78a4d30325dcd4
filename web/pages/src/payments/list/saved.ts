/** A file of a list as it is saved: cut to the days that were chosen, and counted. */

import { size } from "../../base/format.ts";
import type { End } from "../../base/client.ts";
import type { File } from "../../download/download.ts";
import type { Days } from "../route.ts";
import { cellAt, columnOf, Rows, textOf, withCell } from "./csv.ts";
import { dayOfDate } from "./periods.ts";

/** How the gateway writes a file. Excel in Portuguese wants semicolons, decimal commas and its own dates. */
export const formats = {
  excel: { accept: "text/csv; locale=pt-BR; end=1", separator: ";" },
  exact: { accept: "text/csv; end=1", separator: "," },
} as const;

export type FileFormat = keyof typeof formats;

/** Which rows of a file are kept, and how. */
export interface Form {
  separator: string;
  /** The column of the day on which a record was created. */
  created: string;
  /** The days of another date; null without them. */
  cut: { column: string; days: Days } | null;
  /** The words of its statuses, for people; null for those of the API. */
  statuses: { column: string; words: Readonly<Record<string, string>> } | null;
}

/** The ids that are remembered, about 20 MB. The gateway notices repetitions in longer lists. */
const mostIds = 200_000;

/** The bytes of a part that are held until it is whole. A larger one is written as it arrives, and cannot be repeated. */
const mostHeld = 64_000_000;

/** What is counted of the records of a file. */
export class Counts {
  /** Records that were written, and those of other days, which were not. */
  kept = 0;
  omitted = 0;
  /** Records whose date has no day. They are kept. */
  undated = 0;
  /** Records that were there before: the list moved, so that another one may be missing. */
  repeated = 0;
  /** Records with a value that the gateway could not read. */
  unreadable = 0;
  /** Records that were created on days of other parts. */
  outside = 0;

  get read(): number {
    return this.kept + this.omitted;
  }

  plus(other: Counts): Counts {
    const sum = new Counts();
    for (const name of Object.keys(sum) as Exclude<keyof Counts, "read" | "plus">[]) sum[name] = this[name] + other[name];
    return sum;
  }
}

/** A file that is made of parts, each of some days. It keeps their rows, in the order of the parts, and counts them. */
export class Saved {
  /** The first reason for which a part may not be the whole list; null without one. */
  reason: string | null = null;
  /** Records that the API counts, of the parts so far; null if it did not count those of one. */
  total: number | null = 0;
  readonly #to: File;
  readonly #form: Form;
  readonly #ids = new Set<string>(); // at most mostIds
  #counts = new Counts(); // of whole parts
  #part = new Counts();
  #newIds = new Set<string>();
  #days: Days = { from: "", to: "" };
  #rows = new Rows();
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #bytes = 0;
  #header = false; // whether it was written
  #columns: { created: number; cut: number; status: number } | null = null;
  /** Whether the part can be read again if it fails. */
  repeatable = true;

  constructor(to: File, form: Form) {
    this.#to = to;
    this.#form = form;
  }

  size(locale: string): string {
    return size(this.#bytes + this.#heldBytes, locale);
  }

  get counts(): Counts {
    return this.#counts.plus(this.#part);
  }

  /** Begins a part with the records that were created on these days. What was held of a part that failed is dropped. */
  part(days: Days): File {
    this.#days = days;
    this.#part = new Counts();
    this.#rows = new Rows();
    [this.#columns, this.#held, this.#heldBytes, this.#newIds] = [null, [], 0, new Set()];
    return { write: (part) => this.#write(part), close: () => this.#commit(), abort: async () => {} };
  }

  /** Notes what the last line of a part says. */
  ended({ reason, total, records }: End): void {
    this.reason ??= reason ?? null;
    this.total = total === undefined && records > 0 || this.total === null ? null : this.total + (total ?? 0);
  }

  close(): Promise<void> {
    return this.#to.close();
  }

  abort(): Promise<void> {
    return this.#to.abort();
  }

  async #write(part: Uint8Array): Promise<void> {
    for (const row of this.#rows.add(part)) {
      if (!this.#keeps(row)) continue;
      const bytes = this.#inWords(row);
      this.#held.push(bytes);
      this.#heldBytes += bytes.length;
    }
    if (this.#heldBytes < mostHeld) return;
    this.repeatable = false;
    await this.#flush();
  }

  /** Throws if the connection has ended within a row. */
  async #commit(): Promise<void> {
    if (this.#columns === null || !this.#rows.ended) throw new Error("the file has no end");
    await this.#flush();
    this.#counts = this.counts;
    this.#part = new Counts();
    for (const id of this.#newIds) this.#ids.add(id);
    this.#newIds = new Set();
    this.repeatable = true;
  }

  async #flush(): Promise<void> {
    const bytes = new Uint8Array(this.#heldBytes);
    let at = 0;
    for (const row of this.#held) {
      bytes.set(row, at);
      at += row.length;
    }
    [this.#held, this.#heldBytes] = [[], 0];
    this.#bytes += bytes.length;
    this.#header = true;
    if (bytes.length > 0) await this.#to.write(bytes);
  }

  #keeps(row: Uint8Array): boolean {
    const { separator, created, cut, statuses } = this.#form;
    const text = textOf(row);
    if (this.#columns === null) {
      const column = (name: string | undefined) => (name === undefined ? 0 : columnOf(text, name, separator));
      this.#columns = { created: column(created), cut: column(cut?.column), status: statuses === null ? -1 : column(statuses.column) };
      if (Math.min(this.#columns.created, this.#columns.cut) < 0) throw new Error("the file lacks a column");
      return !this.#header;
    }
    const part = this.#part;
    const id = text.slice(0, text.search(/[,;\r\n]/)); // the first column
    const day = dayOfCell(cellAt(text, this.#columns.created, separator));
    const { from, to } = this.#days;
    // Neighbouring parts overlap a little. A record without a day is in the first that has it.
    if (day === null ? this.#ids.has(id) : day < from || day > to) {
      part.outside++;
      return false;
    }
    if (this.#ids.has(id) || this.#newIds.has(id)) part.repeated++;
    else if (this.#ids.size + this.#newIds.size < mostIds) this.#newIds.add(id);
    if (/[,;]#N\/[AD](?=[,;\r\n])/.test(text.replaceAll(/"[^"]*"/g, ""))) part.unreadable++; // a quoted one is a text
    const keeps = cut === null ? true : this.#isOnDays(cellAt(text, this.#columns.cut, separator), cut.days);
    if (cut === null && day === null) part.undated++;
    keeps ? part.kept++ : part.omitted++;
    return keeps;
  }

  #inWords(row: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const at = this.#columns?.status ?? -1;
    const { separator, statuses } = this.#form;
    if (statuses === null || at < 0) return row;
    const text = textOf(row);
    const status = cellAt(text, at, separator);
    const word = Object.hasOwn(statuses.words, status) ? statuses.words[status] : undefined;
    return word === undefined ? row : new TextEncoder().encode(withCell(text, at, separator, word));
  }

  /** A record that was never paid or refunded has no such date, and is on no day. */
  #isOnDays(date: string, { from, to }: Days): boolean {
    if (date === "" || date === '""') return false;
    const day = dayOfCell(date);
    if (day === null) this.#part.undated++;
    return day === null || (day >= from && day <= to);
  }
}

/** The day of a date in a file; null for one that has no day. */
export function dayOfCell(cell: string): string | null {
  const brazilian = /^"?(\d\d)\/(\d\d)\/(\d{4}) \d\d:\d\d:\d\d"?$/.exec(cell);
  return brazilian !== null ? `${brazilian[3]}-${brazilian[2]}-${brazilian[1]}` : dayOfDate(cell);
}

/** What a finished file is. */
export type Verdict =
  | { kind: "whole" | "repeated" | "unreadable" }
  /** The sums have another number of records. */
  | { kind: "differs"; expected: number }
  /** The gateway says why it may not be the whole list. */
  | { kind: "unknown"; reason: string };

/** Whether a file has all records, each once: as the gateway says, as was counted, and as in sums of the same days, if these are known. */
export function verdictOf(counts: Counts, reason: string | null, sums: { complete: boolean; count: number } | null): Verdict {
  if (counts.repeated > 0) return { kind: "repeated" };
  if (counts.unreadable > 0) return { kind: "unreadable" };
  if (reason !== null) return { kind: "unknown", reason };
  return sums?.complete === true && sums.count !== counts.kept ? { kind: "differs", expected: sums.count } : { kind: "whole" };
}

const names = { deposits: "depositos", withdrawals: "saques" } as const;

/** What the name of a file says about the date of its days. */
export const fileSuffixes: Readonly<Record<string, string>> = {
  paymentDate: "por-pagamento", processedDate: "por-processamento", refundDate: "por-devolucao",
};

/** The name of a file, such as depositos-2026-11-23.csv. It is in Portuguese in each language, like the numbers of the file. */
export function fileName(kind: keyof typeof names, { from, to }: Days, ...extra: (string | null)[]): string {
  const parts = [names[kind], from === to ? from : `${from}-a-${to}`, ...extra.filter((part) => part !== null)];
  return `${parts.join("-").toLowerCase()}.csv`;
}
