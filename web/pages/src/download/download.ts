import type { GraphQLFormattedError } from "graphql";
import { size } from "../base/format.ts";

export type Format = "csv" | "ndjson";

/** What the gateway is asked for. The byte order mark lets Excel recognize UTF-8. */
export const accept: Record<Format, string> = { csv: "text/csv; bom=1; end=1", ndjson: "application/x-ndjson" };

/** Where the bytes of a file go. */
export interface File {
  write(chunk: Uint8Array<ArrayBuffer>): Promise<void>;
  close(): Promise<void>;
  abort(): Promise<void>;
}

/** What a file says about itself in its last line. */
export interface End {
  complete: boolean;
  reason?: string;
  records: number;
  /** How many the API counts. */
  total?: number;
  errors?: GraphQLFormattedError[];
}

/** A file without its last line. */
export class Broken extends Error {}

/** CSV without records that the list has. */
export class Lacking extends Error {
  readonly end: End;

  constructor(end: End) {
    super(`Records are missing (${String(end.reason)}). NDJSON has those that were read, and says why.`);
    this.end = end;
  }
}

/** The reasons for which records of the list are not in the file. */
const lacking = ["PAGE_FAILED", "PAGING_UNKNOWN", "PAGE_LIMIT", "GROUP_LIMIT"];

/**
 * Saves the body of a response, and says whether the file has the whole list. CSV is saved without its last line. The next
 * part is read when the one before is written. If there is no last line, because the connection broke, which a proxy may
 * hide, or if CSV lacks records, an Error is thrown; the caller then discards the file.
 */
export async function save(
  body: ReadableStream<Uint8Array<ArrayBuffer>>, format: Format, file: File, progress: (text: string) => void,
): Promise<{ said: string; end: End }> {
  const reader = body.getReader();
  const last = new LastLine();
  let bytes = 0;
  try {
    const read = () => reader.read().catch((error: Error) => {
      throw error.name === "AbortError" ? error : new Broken(broken);
    });
    for (let part = await read(); !part.done; part = await read()) {
      const rows = last.rowsBefore(part.value);
      const kept = format === "csv" ? rows : part.value;
      if (kept.length > 0) await file.write(kept);
      bytes += kept.length;
      progress(`${size(bytes)} read`);
    }
    const end = last.end();
    if (format === "csv" && lacking.includes(end.reason ?? "")) throw new Lacking(end);
    await file.close();
    const state = end.complete ? "complete" : `NOT complete (${String(end.reason)})`;
    return { said: `saved ${size(bytes)}. The file is ${state}: ${String(end.records)} records.`, end };
  } catch (error) {
    await reader.cancel().catch(() => {});
    throw error;
  }
}

/** Browsers only say "network error". */
const broken = "The connection ended before the last line.";

/** The last line of a file. At most a line and a part are in memory. */
class LastLine {
  #line = new Uint8Array(0);

  /** Adds a part, and returns the lines before what may be the last one. */
  rowsBefore(part: Uint8Array): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.#line.length + part.length);
    all.set(this.#line);
    all.set(part, this.#line.length);
    const from = all.lastIndexOf(10, Math.max(all.length - 2, 0)) + 1;
    this.#line = all.slice(from);
    return all.subarray(0, from);
  }

  end(): End {
    let end: End | undefined;
    try {
      end = (JSON.parse(new TextDecoder().decode(this.#line)) as Record<string, End> | null)?.["@download"];
    } catch {
      // a row of CSV, or a part of a line
    }
    if (end === undefined) throw new Broken(broken);
    return end;
  }
}

/** The most that is held in memory, in a browser that cannot write to a file. */
export const maxHeld = 256_000_000;

/** A file that this browser cannot hold. Its message is for the user. */
export class TooLarge extends Error {}

/** A file in memory, which `offer` gets when it is whole. Throws a TooLarge if it is larger than `max`. */
export function heldFile(offer: (content: Blob) => void, max = maxHeld): File {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  return {
    async write(part) {
      bytes += part.length;
      if (bytes > max) throw new TooLarge(`The file is larger than ${size(max)}, and this browser cannot write it to disk. Use a filter, or curl.`);
      parts.push(part);
    },
    async close() {
      offer(new Blob(parts));
    },
    async abort() {
      parts.length = 0;
    },
  };
}

interface Handle {
  createWritable(): Promise<File>;
  getFile(): Promise<Blob>;
  remove?(): Promise<void>;
}

type Picker = (options: { suggestedName: string }) => Promise<Handle>;

/** Opens a file of the user's choice on disk, or else one in memory. Rejects with an AbortError if the user chooses none. */
export async function openFile(name: string): Promise<File> {
  const pick = (globalThis as { showSaveFilePicker?: Picker }).showSaveFilePicker;
  if (pick === undefined) return downloadedFile(name);
  const handle = await pick({ suggestedName: name });
  const file = await handle.createWritable();
  const abort = async () => {
    await file.abort();
    if ((await handle.getFile()).size === 0) await handle.remove?.(); // the browser has created it; an older one keeps its content
  };
  return { write: (part) => file.write(part), close: () => file.close(), abort };
}

/** A file in memory, which the browser saves as any download when it is whole. */
export function downloadedFile(name: string): File {
  return heldFile((content) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // after the browser has begun to save it
  });
}
