import { rowsOf, type End } from "../base/client.ts";
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
  const rows = rowsOf(body);
  const next = () => rows.next().catch((error: Error) => {
    throw error.name === "AbortError" ? error : new Broken(broken);
  });
  let bytes = 0;
  const write = async (part: Uint8Array<ArrayBuffer>) => {
    await file.write(part);
    progress(`${size(bytes += part.length)} read`);
  };
  try {
    let part = await next();
    for (; !part.done; part = await next()) await write(part.value);
    const end = part.value;
    if (format === "csv" && lacking.includes(end.reason ?? "")) throw new Lacking(end);
    if (format === "ndjson") await write(new TextEncoder().encode(`${JSON.stringify({ "@download": end })}\n`));
    await file.close();
    const state = end.complete ? "complete" : `NOT complete (${String(end.reason)})`;
    return { said: `saved ${size(bytes)}. The file is ${state}: ${String(end.records)} records.`, end };
  } finally {
    await rows.return(undefined as never); // ends the connection, if it is open
  }
}

/** Browsers only say "network error". */
const broken = "The connection ended before the last line.";

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
