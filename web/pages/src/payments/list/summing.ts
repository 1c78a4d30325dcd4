/** The sums of a list as they are read. */

import type { GraphQLFormattedError } from "graphql";
import { parseExact } from "../../base/exact.ts";
import { Failure, type Gateway } from "../gateway.ts";
import type { Days } from "../route.ts";
import { linesOf, patiently } from "./lines.ts";
import { partsOf } from "./periods.ts";
import { manyRecords, sumsQuery, sumsVariables, type ListRoute } from "./query.ts";
import { together, type Summary } from "./totals.ts";

export interface Sums {
  summary: Summary;
  /** Why a page could not be read; null without one. */
  problem: Failure | null;
}

/** How far sums are, as the gateway says. */
export interface Progress {
  pages: number;
  /** Null if the API does not count them. */
  of?: number;
  records: number;
  total?: number;
  /** Why the next page could not be read, if it is read again. */
  waiting?: { code: string };
}

type Tell = (progress: Progress | null) => void;

/**
 * The sums of a list, from all of its pages. Those of a long list are read in parts of some days, the newest first. A part
 * whose connection breaks is read again, and a run that fails or is stopped is continued by the next one.
 */
export class Summing {
  /** Whether all was read: then there is nothing to continue. */
  ended = false;
  readonly #gateway: Pick<Gateway, "open">;
  readonly #route: ListRoute;
  #parts: Days[] = []; // none while the list is not known to be long
  #read: Sums[] = []; // of the first parts
  #whole: Progress = { pages: 0, records: 0 };

  constructor(gateway: Pick<Gateway, "open">, route: ListRoute) {
    this.#gateway = gateway;
    this.#route = route;
  }

  async run(signal: AbortSignal, tell: Tell): Promise<Sums> {
    tell(null);
    let last: Progress = { pages: 0, records: 0 };
    const told = (progress: Progress) => tell((last = progress));
    const waiting = ({ code }: Failure) => tell({ ...last, waiting: { code } });
    if (this.#parts.length === 0) {
      const read = () => this.#one(null, signal, told);
      const sums = await read().catch((error: unknown) => {
        // What the gateway refuses at once is shown at once; it has read again what failed later.
        if (!(error instanceof Failure) || error.code !== "BROKEN") throw error;
        return patiently(read, signal, waiting);
      });
      if (sums !== null) return this.#end(sums);
    }
    for (let days = this.#parts[this.#read.length]; days !== undefined; days = this.#parts[this.#read.length]) {
      const part = days;
      told(this.#progress({ pages: 0, records: 0 }));
      const sums = await patiently(() => this.#one(part, signal, (now) => told(this.#progress(now))), signal, waiting);
      if (sums === null) continue;
      // The service failed for longer than the gateway waits. The sums until then are shown, and the part is read again.
      if (sums.problem !== null) return { ...sums, summary: together([...this.#read, sums].map(({ summary }) => summary)) };
      this.#read.push(sums);
    }
    const [sums] = this.#read.slice(-1) as [Sums];
    return this.#end({ ...sums, summary: together(this.#read.map(({ summary }) => summary)) });
  }

  #end(sums: Sums): Sums {
    this.ended = true;
    return sums;
  }

  /** How far the list is, if a part is so far. Neighbouring parts overlap a little. */
  #progress({ pages, records, waiting }: Progress): Progress {
    const sum = { pages, records };
    for (const { summary: { pagesRead, count, unreadable } } of this.#read) {
      sum.pages += pagesRead;
      sum.records += count + unreadable;
    }
    const { of = sum.pages, total = sum.records } = this.#whole;
    return { ...this.#whole, pages: Math.min(sum.pages, of), records: Math.min(sum.records, total), ...(waiting && { waiting }) };
  }

  /** Reads the sums of a part; null if the list, which is read as one, turns out to be a long one. */
  async #one(days: Days | null, signal: AbortSignal, told: (progress: Progress) => void): Promise<Sums | null> {
    const { body, requestId } = await this.#gateway.open(
      sumsQuery(this.#route.kind), sumsVariables(this.#route, days ?? undefined), "application/x-ndjson; progress=1", signal,
    );
    const groups: Summary["groups"] = [];
    for await (const line of linesOf(body)) {
      const read = parseExact(line) as Summary["groups"][number] & SumLine;
      const { "@progress": progress, "@download": end } = read;
      if (progress !== undefined) {
        told(progress);
        if (days === null && this.#divide(progress)) return null;
      } else if (end === undefined) groups.push(read);
      else if (end.summary !== undefined) return { summary: { ...end.summary, groups }, problem: end.errors?.[0] ? Failure.of(end.errors[0], requestId) : null };
      else throw Failure.of(end.errors?.[0], requestId);
    }
    throw new Failure("the connection ended", "BROKEN", requestId);
  }

  /**
   * Divides a long list into parts, and reports whether it did. A record belongs to one of them by the day of its creation;
   * by another date, one that was created at midnight could be in the sums of two parts.
   */
  #divide(progress: Progress): boolean {
    const { days, dayOf } = this.#route;
    if ((progress.total ?? 0) <= manyRecords || dayOf !== undefined) return false;
    const parts = partsOf(days);
    if (parts.at(-1)?.from !== days.from) return false;
    [this.#parts, this.#whole] = [parts, progress];
    return true;
  }
}

interface SumLine {
  "@progress"?: Progress;
  "@download"?: { summary?: Omit<Summary, "groups">; errors?: GraphQLFormattedError[] };
}
