// Files of a list, whose last line says whether they have all of it.

/** What a file says about itself in its last line. */
export interface End {
  complete: boolean;
  /** Why it is not complete. */
  reason?: string;
  /** The number of its rows, and of the pages that they are from. */
  records: number;
  pages: number;
  /** The number of records that the API counts. */
  total?: number;
  errors?: { message: string; extensions?: Record<string, unknown> }[];
}

/**
 * Yields the bytes of a file before its last line, and returns what that line says. The file is CSV with `end=1`, or NDJSON. Throws a TypeError
 * if there is no such line, as `fetch` does when a connection breaks: a proxy may have ended a broken response as if it was whole.
 */
export async function* rowsOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Uint8Array<ArrayBuffer>, End, undefined> {
  const reader = body.getReader();
  let line = new Uint8Array(0); // which may be the last one; at most a record, and a part of the body
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const read = new Uint8Array(line.length + part.value.length);
      read.set(line);
      read.set(part.value, line.length);
      const from = read.lastIndexOf(10, read.length - 2) + 1;
      if (from > 0) yield read.subarray(0, from);
      line = read.slice(from);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
  const end = endOf(line);
  if (!end) throw new TypeError('The file has no end: its connection broke.');
  return end;
}

function endOf(line: Uint8Array): End | undefined {
  try {
    return (JSON.parse(new TextDecoder().decode(line)) as Record<string, End> | null)?.['@download'];
  } catch {
    return undefined; // a row of CSV, or a part of one
  }
}
