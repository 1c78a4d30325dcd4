import { Observable } from "../../base/observable.ts";
import { Failure, type Answer, type Gateway } from "../gateway.ts";

/** What `delivery` of a notification says. */
export interface Delivery {
  verdict: string;
  explanation: string;
  attempts: number | null;
  lastStatusCode: number | null;
}

/** A notification of a transaction, and whether it was delivered. */
export interface Notified {
  id: string;
  delivery: Delivery;
}

/** What is known about the webhooks of a deposit. */
export type Webhooks =
  /** No transaction has the id of the deposit, and so no webhooks can be found. */
  | { state: "absent" }
  /** Those that were found, and the number of those that could not be read. */
  | { state: "read"; notified: Notified[]; unread: number }
  /** The transaction, or its notifications, could not be read. */
  | { state: "unread"; error: unknown };

/** What needs attention most comes first. */
const verdicts = ["DESTINATION_FAILED", "REJECTED", "REDIRECTED", "CONTRADICTORY", "NOT_ATTEMPTED", "UNKNOWN", "DELIVERED"];

/** Notifications, those that need attention most first. */
export function byUrgency(notified: readonly Notified[]): Notified[] {
  const rank = ({ delivery }: Notified) => (verdicts.indexOf(delivery.verdict) + verdicts.length) % verdicts.length;
  return notified.toSorted((a, b) => rank(a) - rank(b));
}

/** Twenty transactions with fifty notifications each cost 1,020 calls at worst. The limit of an operation is 1,100. */
export const batchSize = 20;

const withLinks = `query ($ids: [ID!]!) {
  transactions(ids: $ids) {
    id
    notifications { nodes { id delivery { verdict explanation attempts lastStatusCode } } links { state } }
  }
}`;

const withoutLinks = `query ($ids: [ID!]!) { transactions(ids: $ids) { id } }`;

interface Transaction {
  id: string;
  notifications?: { nodes: (Notified | null)[]; links: { state: string }[] } | null;
}

/**
 * Reads the webhooks of up to twenty deposits, by the transactions with the same ids. Without links the gateway cannot find
 * webhooks: then only whether the transactions exist is read.
 */
export async function readWebhooks(
  gateway: Pick<Gateway, "ask">, links: boolean, ids: readonly string[], signal?: AbortSignal,
): Promise<Map<string, Webhooks>> {
  const query = links ? withLinks : withoutLinks;
  const asked = gateway.ask<{ transactions: (Transaction | null)[] | null }>(query, { ids }, signal);
  const answer = await asked.catch((error: unknown) => {
    if (!(error instanceof Failure) || error.code !== "LIMIT_EXCEEDED" || ids.length < 2) throw error;
    return null;
  });
  if (answer === null) { // it costs more than this gateway allows
    const half = ids.length >> 1;
    const parts = [await readWebhooks(gateway, links, ids.slice(0, half), signal), await readWebhooks(gateway, links, ids.slice(half), signal)];
    return new Map(parts.flatMap((part) => [...part]));
  }
  return new Map(ids.map((id, index) => [id, webhooksOf(answer, index)]));
}

function webhooksOf({ data, errors, requestId }: Answer<{ transactions: (Transaction | null)[] | null }>, index: number): Webhooks {
  const failureAt = (...below: string[]) => {
    const place = ["transactions", index, ...below];
    const found = errors.find(({ path = [] }) => path.length > 0 && path.every((part, at) => part === place[at]));
    return Failure.of(found, requestId);
  };
  const transaction = data?.transactions?.[index] ?? null;
  if (transaction === null) {
    const error = failureAt();
    return error.code === "NOT_FOUND" ? { state: "absent" } : { state: "unread", error };
  }
  const { notifications } = transaction;
  if (notifications === undefined) return { state: "read", notified: [], unread: 0 };
  if (notifications === null) return { state: "unread", error: failureAt("notifications") };
  const unread = notifications.links.filter(({ state }) => state === "FORBIDDEN" || state === "UNAVAILABLE").length;
  return { state: "read", notified: notifications.nodes.filter((node) => node !== null), unread };
}

/** Reads the webhooks of the deposits that a table shows, once each, in batches, one after the other. */
export class WebhookReader {
  /** By the id of the deposit. One that has not been read is absent. Grows with the rows of one table only. */
  readonly read = new Observable<ReadonlyMap<string, Webhooks>>(new Map());
  /** The ids of the deposits that are to be read. */
  readonly reading = new Observable<ReadonlySet<string>>(new Set());
  readonly #gateway: Pick<Gateway, "ask">;
  readonly #links: boolean;
  readonly #waiting = new Set<string>();
  #batch: string[] = []; // that is being read
  readonly #needed = new Set<string>(); // also out of view
  #control: AbortController | null = null;

  constructor(gateway: Pick<Gateway, "ask">, links: boolean) {
    this.#gateway = gateway;
    this.#links = links;
  }

  /** Asks for the webhooks of a deposit, unless they were read. */
  want(id: string): void {
    if (this.read.get().has(id)) return;
    this.#waiting.add(id);
    this.#show();
    // The other rows that come into view at the same time are in the same batch.
    if (this.#control === null) void this.#run((this.#control = new AbortController()));
  }

  /** A row that is out of view again need not be read. */
  cancel(id: string): void {
    if (this.#needed.has(id) || !this.#waiting.delete(id)) return;
    this.#show();
  }

  /** What is known about the webhooks of a deposit, as soon as it was read; never after `stop`. */
  known(id: string): Promise<Webhooks> {
    this.#needed.add(id);
    this.want(id);
    return new Promise((resolve) => {
      const check = () => {
        const webhooks = this.read.get().get(id);
        if (webhooks === undefined) return;
        unwatch();
        resolve(webhooks);
      };
      const unwatch = this.read.watch(check);
      check();
    });
  }

  /** Reads again what could not be read. */
  again(): void {
    const read = new Map(this.read.get());
    const failed = [...read].filter(([, { state }]) => state === "unread").map(([id]) => id);
    for (const id of failed) read.delete(id);
    this.read.set(read);
    for (const id of failed) this.want(id);
  }

  /** Ends the reads under way. */
  stop(): void {
    this.#control?.abort();
    this.#control = null;
    this.#waiting.clear();
    this.#batch = [];
    this.#show();
  }

  #show(): void {
    this.reading.set(new Set([...this.#waiting, ...this.#batch]));
  }

  async #run(control: AbortController): Promise<void> {
    const { signal } = control;
    await Promise.resolve();
    while (this.#waiting.size > 0 && !signal.aborted) {
      const ids = [...this.#waiting].slice(0, batchSize);
      for (const id of ids) this.#waiting.delete(id);
      this.#batch = ids;
      const batch = await readWebhooks(this.#gateway, this.#links, ids, signal).catch(
        (error: unknown) => new Map<string, Webhooks>(ids.map((id) => [id, { state: "unread", error }])),
      );
      if (signal.aborted) return;
      this.#batch = [];
      this.read.set(new Map([...this.read.get(), ...batch]));
      this.#show();
    }
    if (this.#control === control) this.#control = null;
  }
}
