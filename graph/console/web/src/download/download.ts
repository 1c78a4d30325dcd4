import { size } from "../waterfall/format.ts";

export type Format = "csv" | "ndjson";

/** What the gateway is asked for. The byte order mark lets Excel recognize UTF-8. */
export const accept: Record<Format, string> = { csv: "text/csv; bom=1", ndjson: "application/x-ndjson" };

/** Where the bytes of a file go. */
export interface File {
  write(chunk: Uint8Array<ArrayBuffer>): Promise<void>;
  close(): Promise<void>;
  abort(): Promise<void>;
}

/**
 * Saves the body of a response, and says whether the file has the whole list. The next part is read when the one before is
 * written. If it cannot be read to its end, an Error is thrown; the
 * caller then discards the file.
 */
export async function save(body: ReadableStream<Uint8Array<ArrayBuffer>>, format: Format, file: File, progress: (text: string) => void): Promise<string> {
  const reader = body.getReader();
  const end = new LastLine();
  let bytes = 0;
  try {
    const read = () => reader.read().catch((error: Error) => {
      throw error.name === "AbortError" ? error : new Error(broken[format]);
    });
    for (let part = await read(); !part.done; part = await read()) {
      if (format === "ndjson") end.add(part.value);
      await file.write(part.value);
      bytes += part.value.length;
      progress(`${size(bytes)} read`);
    }
    const said = format === "ndjson" ? end.outcome() : csvOutcome;
    await file.close();
    return `saved ${size(bytes)}. ${said}`;
  } catch (error) {
    await reader.cancel().catch(() => {});
    throw error;
  }
}

/** The gateway breaks the connection if a page of a CSV file is missing. The rest is in the trailer, which browsers hide. */
const csvOutcome = "It has all pages. Only NDJSON says whether the list changed while it was read.";

/** Browsers only say "network error". */
const broken: Record<Format, string> = {
  csv: "The connection ended early, as it does if records are missing. NDJSON says why.",
  ndjson: "The connection ended before the last line.",
};

/** The last line of NDJSON, which says whether the file is complete. At most a line and a part are in memory. */
class LastLine {
  readonly #decoder = new TextDecoder();
  #text = "";

  add(part: Uint8Array): void {
    this.#text += this.#decoder.decode(part, { stream: true });
    const before = this.#text.lastIndexOf("\n", this.#text.length - 2);
    this.#text = this.#text.slice(before + 1);
  }

  outcome(): string {
    const end = this.#end();
    if (end === null) throw new Error(broken.ndjson);
    const { complete, reason, records } = end;
    const state = complete === true ? "complete" : `NOT complete (${String(reason)})`;
    return `The file is ${state}: ${String(records)} records.`;
  }

  #end(): Record<string, unknown> | null {
    try {
      const line = JSON.parse(this.#text) as Record<string, Record<string, unknown>> | null;
      return line?.["@download"] ?? null;
    } catch {
      return null;
    }
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

type Picker = (options: { suggestedName: string }) => Promise<{ createWritable(): Promise<File> }>;

/** Opens a file of the user's choice on disk, or else one in memory. Rejects with an AbortError if the user chooses none. */
export async function openFile(name: string): Promise<File> {
  const pick = (globalThis as { showSaveFilePicker?: Picker }).showSaveFilePicker;
  return pick === undefined ? downloadedFile(name) : (await pick({ suggestedName: name })).createWritable();
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
