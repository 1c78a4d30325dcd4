import { Broken, downloadedFile, Lacking, openFile, save } from "../../download/download.ts";
import { Failure, type Gateway } from "../gateway.ts";
import type { Days } from "../route.ts";
import { patiently } from "./lines.ts";
import { partsOf } from "./periods.ts";
import { countQuery, createdIn, manyRecords, wideFilterOf, type ListRoute } from "./query.ts";
import { formats, Saved, type FileFormat, type Form } from "./saved.ts";

/** A file of the records of a list. */
export interface Request {
  name: string;
  format: FileFormat;
  query: string;
  route: ListRoute;
  form: Omit<Form, "separator">;
  /** Whether it may be too large for the memory of the page. The browser then asks where to save it. */
  large: boolean;
}

/** What a download says while it runs. */
export interface Telling {
  progress: (download: Download) => void;
  /** Something failed that is read again. */
  waiting: (failure: Failure) => void;
}

/** A file as it is read: in parts of some days, the newest first. It can be continued after a failure. */
export class Download {
  readonly saved: Saved;
  /** How many records the API counts; null if it does not. */
  total: number | null = null;
  readonly #gateway: Pick<Gateway, "ask" | "open">;
  readonly #request: Request;
  #parts: Days[] | null = null;
  #next = 0;

  constructor(gateway: Pick<Gateway, "ask" | "open">, request: Request, saved: Saved) {
    this.#gateway = gateway;
    this.#request = request;
    this.saved = saved;
  }

  /** Browsers show their dialog only right after a click, so this comes first. */
  static async open(gateway: Gateway, request: Request): Promise<Download> {
    const file = request.large ? await openFile(request.name) : downloadedFile(request.name);
    return new Download(gateway, request, new Saved(file, { ...request.form, separator: formats[request.format].separator }));
  }

  /** Reads what is not read yet, and saves the file. Rejects with an AbortError if it was stopped; otherwise it may be continued. */
  async run(signal: AbortSignal, { progress, waiting }: Telling): Promise<void> {
    const { route } = this.#request;
    if (this.#parts === null) {
      this.total = await patiently(() => this.#count(signal), signal, waiting);
      const days = createdIn(route);
      const parts = (this.total ?? 0) > manyRecords ? partsOf(days) : [];
      this.#parts = parts.length > 0 ? parts : [days];
    }
    for (; this.#next < this.#parts.length; this.#next++) {
      const days = this.#parts[this.#next] ?? route.days;
      await patiently(() => this.#read(days, signal, () => progress(this)), signal, waiting);
    }
    await this.saved.close();
  }

  /** Whether it can be continued: something was read that would be read twice otherwise. */
  get continues(): boolean {
    return this.#next > 0 && this.saved.repeatable;
  }

  /** Null if the API does not count, or not now: then the file itself says why. */
  async #count(signal: AbortSignal): Promise<number | null> {
    const { route } = this.#request;
    const { data } = await this.#gateway.ask<{ list: { totalCount: number } | null }>(countQuery(route.kind), { filter: wideFilterOf(route) }, signal);
    return data?.list?.totalCount ?? null;
  }

  async #read(days: Days, signal: AbortSignal, progress: () => void): Promise<void> {
    const { query, route, format } = this.#request;
    const { body, requestId } = await this.#gateway.open(query, { filter: wideFilterOf(route, days) }, formats[format].accept, signal);
    try {
      const { end } = await save(body, "csv", this.saved.part(days), progress);
      this.saved.ended(end);
    } catch (error) {
      if (!this.saved.repeatable) throw error;
      if (error instanceof Broken) throw new Failure(error.message, "BROKEN", requestId);
      if (error instanceof Lacking && error.end.errors?.[0] !== undefined) throw Failure.of(error.end.errors[0], requestId);
      throw error;
    }
  }
}
