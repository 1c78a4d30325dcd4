/** The rows of a CSV file of the gateway as they arrive, so that a file can be counted and cut to days while it is saved. */

const quote = 0x22;
const lineFeed = 0x0a;

/** The rows of a file that arrives in parts, each with its line break. Only the row that has begun is in memory. */
export class Rows {
  #begun = new Uint8Array(0);
  #quoted = false;

  *add(part: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(this.#begun.length + part.length);
    bytes.set(this.#begun);
    bytes.set(part, this.#begun.length);
    let start = 0;
    for (let at = this.#begun.length; at < bytes.length; at++) {
      if (bytes[at] === quote) this.#quoted = !this.#quoted; // a quotation mark in a cell is doubled
      if (bytes[at] !== lineFeed || this.#quoted) continue;
      yield bytes.subarray(start, at + 1);
      start = at + 1;
    }
    this.#begun = bytes.slice(start);
  }

  /** Whether the file ends with a whole row. */
  get ended(): boolean {
    return this.#begun.length === 0;
  }
}

/** The text of a row without the byte order mark of a file. */
export function textOf(row: Uint8Array): string {
  return new TextDecoder().decode(row);
}

/** A cell of a row, as it is between separators; "" if the row has fewer. */
export function cellAt(row: string, index: number, separator: string): string {
  return row.slice(...boundsOf(row, index, separator));
}

/** A row with another text for a cell. */
export function withCell(row: string, index: number, separator: string, cell: string): string {
  const [start, end] = boundsOf(row, index, separator);
  return start === end ? row : row.slice(0, start) + cell + row.slice(end);
}

function boundsOf(row: string, index: number, separator: string): [start: number, end: number] {
  let quoted = false;
  let cell = 0;
  let start = 0;
  for (let at = 0; at <= row.length; at++) {
    const char = row[at] ?? "\n";
    if (char === '"') quoted = !quoted;
    if (quoted || (char !== separator && char !== "\r" && char !== "\n")) continue;
    if (cell === index) return [start, at];
    cell++;
    start = at + 1;
  }
  return [row.length, row.length];
}

/** The index of a column by the first row; -1 without it. Names of columns have no separators and no quotation marks. */
export function columnOf(header: string, name: string, separator: string): number {
  return header.trimEnd().split(separator).indexOf(name);
}
