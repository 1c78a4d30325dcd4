/** A file of a list as it is saved: cut to the days that were chosen, and counted. */

import { size } from "../../waterfall/format.ts";
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

/** The rows of a file that are kept: those whose date is on one of the days. */
export interface Cut {
  column: string;
  days: Days;
  separator: string;
}

/** The words of statuses, for a file that people read. */
export interface Statuses {
  column: string;
  separator: string;
  words: Readonly<Record<string, string>>;
}

/** The ids that are remembered, about 20 MB. */
const mostIds = 200_000;

type Counted = Pick<Saved, "kept" | "repeated" | "unreadable" | "isChecked">;

/** A file that keeps the rows of some days, and counts what it keeps. Without a cut it keeps all of them. */
export class Saved implements File {
  /** Records that were written, and those of other days, which were not. */
  kept = 0;
  omitted = 0;
  /** Records whose date has no day. They are kept. */
  undated = 0;
  /** Records that were there before: the list moved, so that another one may be missing. */
  repeated = 0;
  /** Records with a value that the gateway could not read. */
  unreadable = 0;
  readonly #ids = new Set<string>(); // at most mostIds
  #bytes = 0;
  readonly #rows = new Rows();
  readonly #to: File;
  readonly #cut: Cut | null;
  readonly #statuses: Statuses | null;
  #column: number | null = null;
  #status = -1; // the column of statuses

  /** The rows below the first one, of a file that is to be compared: one of sums has at most 10,000. */
  readonly rows: string[] | null;

  constructor(to: File, cut: Cut | null, rows: string[] | null = null, statuses: Statuses | null = null) {
    this.#to = to;
    this.#cut = cut;
    this.rows = rows;
    this.#statuses = statuses;
  }

  get size(): string {
    return size(this.#bytes);
  }

  async write(part: Uint8Array<ArrayBuffer>): Promise<void> {
    const kept = [...this.#rows.add(part)].filter((row) => this.#keeps(row)).map((row) => this.#inWords(row));
    const bytes = new Uint8Array(kept.reduce((sum, row) => sum + row.length, 0));
    let at = 0;
    for (const row of kept) {
      bytes.set(row, at);
      at += row.length;
    }
    this.#bytes += bytes.length;
    if (bytes.length > 0) await this.#to.write(bytes);
  }

  /** Throws if the connection has ended within a row. */
  async close(): Promise<void> {
    if (this.#column === null || !this.#rows.ended) throw new Error("the file has no end");
    await this.#to.close();
  }

  abort(): Promise<void> {
    return this.#to.abort();
  }

  #keeps(row: Uint8Array): boolean {
    const text = textOf(row);
    if (this.#column === null) {
      if (this.#statuses !== null) this.#status = columnOf(text, this.#statuses.column, this.#statuses.separator);
      this.#column = this.#cut === null ? 0 : columnOf(text, this.#cut.column, this.#cut.separator);
      if (this.#column < 0) throw new Error(`the file has no column ${this.#cut?.column}`);
      return true;
    }
    this.#check(text);
    this.rows?.push(text);
    const keeps = this.#cut === null || this.#isOnDays(cellAt(text, this.#column, this.#cut.separator), this.#cut.days);
    keeps ? this.kept++ : this.omitted++;
    return keeps;
  }

  #inWords(row: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    if (this.#statuses === null || this.#status < 0) return row;
    const { separator, words } = this.#statuses;
    const text = textOf(row);
    const status = cellAt(text, this.#status, separator);
    const word = Object.hasOwn(words, status) ? words[status] : undefined;
    return word === undefined ? row : new TextEncoder().encode(withCell(text, this.#status, separator, word));
  }

  /** Notes what the last line of the file says only together, for all rows. The first column is the id. */
  #check(row: string): void {
    const id = row.slice(0, row.search(/[,;\r\n]/));
    if (this.#ids.has(id)) this.repeated++;
    else if (this.#ids.size < mostIds) this.#ids.add(id);
    if (/[,;]#N\/[AD](?=[,;\r\n])/.test(row.replaceAll(/"[^"]*"/g, ""))) this.unreadable++; // a quoted one is a text
  }

  /** Whether each record could be compared with those before it. */
  get isChecked(): boolean {
    return this.#ids.size < mostIds;
  }

  /** A record that was never paid or refunded has no such date, and is on no day. */
  #isOnDays(date: string, { from, to }: Days): boolean {
    if (date === "" || date === '""') return false;
    const day = dayOfCell(date);
    if (day === null) this.undated++;
    return day === null || (day >= from && day <= to);
  }
}

/** The day of a date in a file; null for one that has no day. */
export function dayOfCell(cell: string): string | null {
  const brazilian = /^"?(\d\d)\/(\d\d)\/(\d{4}) \d\d:\d\d:\d\d"?$/.exec(cell);
  return brazilian !== null ? `${brazilian[3]}-${brazilian[2]}-${brazilian[1]}` : dayOfDate(cell);
}

/** What a finished file is, compared with the sums of the same days. */
export type Verdict =
  | { kind: "whole" | "repeated" | "unreadable" | "unchecked" }
  /** The sums have another number of records. */
  | { kind: "differs"; expected: number }
  /** The sums themselves may not be those of the whole list; null if they were not read. */
  | { kind: "unknown"; reason: string | null };

/** Whether a file has all records, each once. A browser hides the trailer of the response, so they are counted and compared. */
export function verdictOf({ kept, repeated, unreadable, isChecked }: Counted, sums: { complete: boolean; reason: string | null; expected: number } | null): Verdict {
  if (repeated > 0) return { kind: "repeated" };
  if (unreadable > 0) return { kind: "unreadable" };
  if (sums === null) return { kind: "unknown", reason: null };
  if (!sums.complete) return { kind: "unknown", reason: sums.reason };
  if (kept !== sums.expected) return { kind: "differs", expected: sums.expected };
  return { kind: isChecked ? "whole" : "unchecked" };
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
