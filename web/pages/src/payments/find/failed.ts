import type { Config } from "../../base/config.ts";
import { Observable } from "../../base/observable.ts";
import { largestPage, readPage, type List, type Reader } from "../pages.ts";
import { depositRow, type DepositRow } from "../rows/rowdata.ts";
import { batchSize, byUrgency, readWebhooks, type Notified, type Webhooks } from "../rows/webhooks.ts";

/** A deposit with its webhooks that were not delivered. */
export interface FailedDelivery {
  deposit: DepositRow;
  notified: Notified[];
}

/** What is known about the failed deliveries of the last day. */
export interface FailedState {
  /** In the order of the deposits in the list. */
  rows: FailedDelivery[];
  /** Deposits whose webhooks were looked for, and those of the day. */
  looked: number;
  total: number | null;
  /** Deposits among them without a transaction, so that their webhooks cannot be found. */
  absent: number;
  /** Webhooks, or deposits with all of theirs, that could not be read. */
  unread: number;
  /** When the day ended. */
  at: Date | null;
  reading: boolean;
  error: unknown;
  /** Whether there are further deposits, and whether the gateway can request their page. */
  more: boolean;
  unreachable: boolean;
}

const empty: FailedState = {
  rows: [], looked: 0, total: null, absent: 0, unread: 0, at: null, reading: false, error: null, more: false, unreachable: false,
};

const day = 86_400_000;

/** The deposits that are looked at without a request of the user: they cost about five calls each. */
const first = 2 * batchSize;

/** Reads the webhooks of the deposits of the last day. The dispatcher cannot list webhooks. */
export class FailedDeliveries {
  readonly state = new Observable(empty);
  readonly #gateway: Reader;
  readonly #config: Config;
  readonly #now: () => Date;
  #control = new AbortController();
  #waiting: DepositRow[] = []; // at most a page
  #page = 0; // the last page that was read
  #hasNext = true; // whether the page after it can be read
  #seen = new Set<string>(); // the ids of the day's deposits so far

  constructor(gateway: Reader, config: Config, now: () => Date) {
    this.#gateway = gateway;
    this.#config = config;
    this.#now = now;
  }

  /** Reads for the first time. */
  start(): void {
    if (this.state.get().at === null && this.#config.links) void this.refresh();
  }

  /** Forgets what was read, and reads the newest deposits. */
  refresh(): Promise<void> {
    this.stop();
    this.#control = new AbortController();
    this.#waiting = [];
    this.#seen.clear();
    this.#page = 0;
    this.#hasNext = true;
    this.state.set({ ...empty, at: this.#now(), more: true });
    return this.more();
  }

  /** Looks at the first deposits, or at the next hundred; after an error, at those that are left. */
  async more(): Promise<void> {
    const { signal } = this.#control;
    const { at } = this.state.get();
    if (at === null || this.state.get().reading) return;
    this.#set({ reading: true, error: null });
    try {
      const { looked } = this.state.get();
      for (const end = looked + (looked === 0 ? first : largestPage); this.state.get().looked < end && this.#isLeft(); ) {
        if (this.#waiting.length === 0) await this.#readPage(at, signal);
        if (this.#waiting.length === 0) break; // the API may repeat a page without end
        await this.#readBatch(signal);
      }
    } catch (error) {
      if (!signal.aborted) this.#set({ error });
    }
    if (!signal.aborted) this.#set({ reading: false, more: this.#isLeft() });
  }

  /** Ends what runs. */
  stop(): void {
    this.#control.abort();
    if (this.state.get().reading) this.#set({ reading: false });
  }

  #isLeft(): boolean {
    return this.#waiting.length > 0 || this.#hasNext;
  }

  async #readPage(at: Date, signal: AbortSignal): Promise<void> {
    const filter = { startDate: new Date(at.getTime() - day).toISOString(), endDate: at.toISOString() };
    const list: List = { kind: "deposits", filter, selection: "...DepositRow", fragments: depositRow };
    const page = await readPage<DepositRow>(this.#gateway, this.#config, list, { page: this.#page + 1, size: largestPage }, signal);
    signal.throwIfAborted();
    this.#page++;
    const { nodes, totalCount = null, pageInfo: { hasNextPage: hasNext } } = page;
    const invalid = nodes.filter((node) => node === null).length;
    for (const node of nodes) {
      if (node === null || this.#seen.has(node.id)) continue;
      this.#seen.add(node.id);
      this.#waiting.push(node);
    }
    this.#hasNext = hasNext && this.#config.pageNumber;
    const { looked, unread } = this.state.get();
    this.#set({ looked: looked + invalid, unread: unread + invalid, total: totalCount, unreachable: hasNext && !this.#config.pageNumber });
  }

  async #readBatch(signal: AbortSignal): Promise<void> {
    const batch = this.#waiting.slice(0, batchSize);
    const read = await readWebhooks(this.#gateway, this.#config.links, batch.map(({ id }) => id), signal);
    signal.throwIfAborted();
    const known = [...read.values()];
    // If all fail, so will the next ones: the dispatcher is down, or the token may not read it.
    const failed = known.find((each) => each.state === "unread");
    if (failed !== undefined && known.every(({ state }) => state !== "read")) throw failed.error;
    this.#waiting.splice(0, batch.length);
    const { rows, looked, absent, unread } = this.state.get();
    this.#set({
      rows: [...rows, ...batch.flatMap((deposit) => failedOf(deposit, read.get(deposit.id)))], looked: looked + batch.length,
      absent: absent + known.filter(({ state }) => state === "absent").length, unread: unread + known.reduce((sum, each) => sum + unreadOf(each), 0),
    });
  }

  #set(change: Partial<FailedState>): void {
    this.state.set({ ...this.state.get(), ...change });
  }
}

function failedOf(deposit: DepositRow, webhooks: Webhooks | undefined): FailedDelivery[] {
  if (webhooks?.state !== "read") return [];
  const notified = byUrgency(webhooks.notified).filter(({ delivery }) => delivery.verdict !== "DELIVERED");
  return notified.length === 0 ? [] : [{ deposit, notified }];
}

function unreadOf(webhooks: Webhooks): number {
  return webhooks.state === "unread" ? 1 : webhooks.state === "read" ? webhooks.unread : 0;
}
