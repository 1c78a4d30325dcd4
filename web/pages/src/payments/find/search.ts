import type { Config } from "../../base/config.ts";
import { Observable } from "../../base/observable.ts";
import { Failure } from "../gateway.ts";
import { largestPage, readPage, type Reader, type ReadPage } from "../pages.ts";
import { goTo, routeOf, type ById, type Days, type Route } from "../route.ts";
import { FailedDeliveries } from "./failed.ts";
import { hasReasons, isFound, wantedOf, withMore, type Searched } from "./found.ts";
import { lookUp, recordsOf, routeOfHit, type LookedUp } from "./lookup.ts";
import { planOf, tasksIn, type Task } from "./plan.ts";
import { besides, hullOf, rangeOf, type Span, type Way } from "./span.ts";
import { idle, type SearchState } from "./state.ts";
import { newStep, type Step, type Trial } from "./step.ts";
import { meaningsOf, type Meanings } from "./text.ts";

/**
 * Finds payments by whatever text a user has of them. One search runs at a time; the next one aborts it. The results are
 * kept for the life of the page, and nowhere else: the text can be personal data.
 */
export class Search {
  readonly state = new Observable(idle);
  /** The deliveries that failed, which the page shows as long as nothing is searched. */
  readonly failed: FailedDeliveries;
  readonly #gateway: Reader;
  readonly #config: Config;
  readonly #open: (route: Route) => void;
  readonly #now: () => Date;
  #control = new AbortController();
  #keys: string[] = [];
  #acts = 0; // that run

  constructor(gateway: Reader, config: Config, open = openFromHome, now = () => new Date()) {
    this.#gateway = gateway;
    this.#config = config;
    this.#open = open;
    this.#now = now;
    this.failed = new FailedDeliveries(gateway, config, now);
  }

  /** Searches a text. */
  async find(entered: string, span: Span): Promise<void> {
    const meanings = meaningsOf(entered, this.#now());
    this.#keys = [];
    this.#begin({ ...idle, entered, span, meanings });
    await this.#during(async (signal) => {
      if (!(await this.#lookUp(meanings, recordsOf(meanings), signal))) return;
      const { hits, meanings: known } = this.state.get();
      if (Object.values(hits).filter((hit) => hit !== null).length === 1) return this.#open(routeOfHit(hits));
      await this.#searchLists(known ?? meanings, span, signal);
    });
  }

  /** The days that can be searched next; null if no days are left, or what was searched was found. */
  besides(way: Way): Days | null {
    const { searched } = this.state.get();
    return searched === null ? null : besides(searched, way, this.#now());
  }

  /** Searches the days before or after those that were searched. */
  further(way: Way = "earlier"): Promise<void> {
    const { meanings, searched } = this.state.get();
    const days = this.besides(way);
    if (meanings === null || searched === null || days === null) return Promise.resolve();
    return this.#during(async (signal) => {
      const tasks = tasksIn(meanings, this.#keys, rangeOf(days));
      const ids = this.#add(tasks.map((task) => ({ of: "list", task })));
      // Also if this is stopped, since its steps can be continued.
      this.#set({ searched: way === "earlier" ? { ...searched, from: days.from } : { ...searched, to: days.to } });
      await this.#readInTurn(ids, tasks, meanings, signal);
    });
  }

  /** Reads the next pages of a list, or repeats what could not be read. */
  continue(id: number): Promise<void> {
    const { meanings, entered, span, steps } = this.state.get();
    if (meanings === null) return Promise.resolve();
    const { trial } = this.#step(id);
    if (trial.of === "list") return this.#during((signal) => this.#read(id, trial.task, signal));
    // Without its first operation a search has no lists.
    if (trial.of !== "record" || !steps.some((step) => step.trial.of === "list")) return this.find(entered, span);
    return this.#during(async (signal) => {
      this.#set({ steps: steps.filter((step) => step.id !== id) });
      const { brCode: _, ...others } = meanings;
      await this.#lookUp({ ...others, keys: [] }, [trial.record], signal);
    });
  }

  /** Repeats everything that could not be read. Ids are looked up with the whole search, which may then need no lists. */
  again(): Promise<void> {
    const { entered, span, steps } = this.state.get();
    const failed = steps.filter(({ state }) => state === "failed");
    if (failed.some(({ trial }) => trial.of !== "list")) return this.find(entered, span);
    for (const { id } of failed) this.#change(id, { state: "waiting" }); // their own buttons do nothing until then
    return this.#during(async (signal) => {
      for (const { id, trial } of failed) if (trial.of === "list") await this.#read(id, trial.task, signal);
    });
  }

  /** Repeats by itself what a token that has expired could not read. */
  signedIn(): void {
    if (this.state.get().steps.some(({ state, error }) => state === "failed" && isOfToken(error))) void this.again();
    if (isOfToken(this.failed.state.get().error)) void this.failed.refresh();
  }

  /** Ends the search, and forgets it. */
  clear(): void {
    this.#keys = [];
    this.#begin(idle);
  }

  /** Ends what runs, and keeps what was found. What was not read can be continued. */
  halt(): void {
    const { steps } = this.state.get();
    const isOpen = ({ state }: Step) => state === "reading" || state === "waiting";
    this.#begin({ ...this.state.get(), running: false, steps: steps.map((step) => (isOpen(step) ? { ...step, state: "stopped" } : step)) });
  }

  /** Ends what runs, for a page that is left. */
  stop(): void {
    this.#control.abort();
    this.failed.stop();
  }

  #begin(state: SearchState): void {
    this.#control.abort();
    this.#control = new AbortController();
    this.#acts = 0;
    this.state.set(state);
  }

  async #during(act: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#control;
    this.#acts++;
    this.#set({ running: true });
    try {
      await act(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (!signal.aborted) this.#set({ running: --this.#acts > 0 });
  }

  /** Looks up ids and keys, and whether that worked. A failure is one of its steps. */
  async #lookUp(meanings: Meanings, records: ById[], signal: AbortSignal): Promise<boolean> {
    const texts: Trial[] = [...meanings.keys.map((text) => ({ of: "key" as const, text })), ...(meanings.brCode ? [{ of: "code" as const }] : [])];
    const steps = this.#add([...records.map((record): Trial => ({ of: "record", record })), ...texts]);
    for (const id of steps) this.#change(id, { state: "reading" });
    const looked = await lookUp(this.#gateway, meanings, records, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      for (const id of steps) this.#change(id, { state: "failed", error });
      return null;
    });
    if (looked === null) return false;
    signal.throwIfAborted();
    this.#show(looked, steps, records.length);
    this.#set({ hits: { ...this.state.get().hits, ...Object.fromEntries(records.map((record) => [record, looked[record]])) } });
    const { brCode } = meanings;
    if (brCode !== undefined) this.#set({ meanings: { ...meanings, brCode: { ...brCode, ...looked.code } } });
    this.#keys = [...new Set([...this.#keys, ...looked.keys.flatMap(({ normalized }) => normalized ?? [])])];
    return true;
  }

  #show(looked: LookedUp, steps: number[], records: number): void {
    steps.forEach((id, index) => {
      const { trial } = this.#step(id);
      if (trial.of === "record") {
        const error = looked.failures[trial.record] ?? null;
        this.#change(id, { state: error === null ? "read" : "failed", error, found: looked[trial.record] === null ? 0 : 1 });
      } else {
        this.#change(id, { state: "read", key: looked.keys[index - records] ?? null });
      }
    });
  }

  async #searchLists(meanings: Meanings, span: Span, signal: AbortSignal): Promise<void> {
    const { exact, ranges } = planOf(meanings, this.#keys, span, this.#now());
    const ids = this.#add([...exact, ...ranges].map((task) => ({ of: "list", task })));
    this.#set({ searched: hullOf(ranges.flatMap(({ how }) => (how.by === "filter" ? [] : [how.range]))) });
    await Promise.all(exact.map((task, index) => this.#read(ids[index] ?? 0, task, signal)));
    await this.#readInTurn(ids.slice(exact.length), ranges, meanings, signal);
  }

  /** Reads lists of ranges one after the other, as long as they are needed. */
  async #readInTurn(ids: readonly number[], tasks: readonly Task[], meanings: Meanings, signal: AbortSignal): Promise<void> {
    for (const [index, task] of tasks.entries()) {
      const id = ids[index] ?? 0;
      if (this.#isNeeded(task, meanings)) await this.#read(id, task, signal);
      else this.#change(id, { state: "skipped" });
    }
    if (this.#isUniqueFound(meanings)) this.#set({ searched: null });
  }

  /** Whether a list must be read: the payment is not found yet. A list is searched by the amount alone if no payment has the name. */
  #isNeeded({ wanted }: Task, meanings: Meanings): boolean {
    if (meanings.named !== undefined && wanted === null) return !hasReasons(this.state.get().found);
    return !this.#isUniqueFound(meanings);
  }

  /** Reads a list to its end, from where it was stopped. An error ends the step, and not the others. */
  async #read(id: number, task: Task, signal: AbortSignal): Promise<void> {
    this.#change(id, { state: "reading", error: null });
    try {
      do {
        const page = this.#step(id).pages + 1;
        const read = await readPage<Searched>(this.#gateway, this.#config, task.list, { page, size: largestPage }, signal);
        signal.throwIfAborted();
        this.#take(id, task, read);
      } while (this.#step(id).more);
      this.#change(id, { state: "read" });
    } catch (error) {
      signal.throwIfAborted();
      this.#change(id, { state: "failed", error });
    }
  }

  #take(id: number, task: Task, { nodes, totalCount, unreadable, pageInfo: { hasNextPage: hasNext } }: ReadPage<Searched>): void {
    const step = this.#step(id);
    const wanted = wantedOf(task, nodes);
    const { pageNumber } = this.#config;
    this.#change(id, {
      pages: step.pages + 1, read: step.read + nodes.length, total: totalCount ?? null, found: step.found + wanted.length, more: hasNext && pageNumber,
      unreachable: hasNext && !pageNumber, invalid: step.invalid + unreadable,
    });
    this.#set({ found: withMore(this.state.get().found, task.kind, wanted) });
  }

  /** Whether the only payment of a text was found, so that nothing else has to be read. */
  #isUniqueFound({ endToEnd, mistyped }: Meanings): boolean {
    return (endToEnd ?? mistyped) !== undefined && isFound(this.state.get().found, mistyped !== undefined);
  }

  #add(trials: Trial[]): number[] {
    const { steps } = this.state.get();
    const first = (steps.at(-1)?.id ?? 0) + 1;
    this.#set({ steps: [...steps, ...trials.map((trial, index) => newStep(first + index, trial))] });
    return trials.map((_, index) => first + index);
  }

  #step(id: number): Step {
    const step = this.state.get().steps.find((each) => each.id === id);
    if (step === undefined) throw new Error(`no step ${id}`);
    return step;
  }

  #change(id: number, change: Partial<Step>): void {
    this.#set({ steps: this.state.get().steps.map((step) => (step.id === id ? { ...step, ...change } : step)) });
  }

  #set(change: Partial<SearchState>): void {
    this.state.set({ ...this.state.get(), ...change });
  }
}

function isOfToken(error: unknown): boolean {
  return error instanceof Failure && (error.code === "NO_TOKEN" || error.code === "UNAUTHENTICATED");
}

/** Opens a view, unless the user has left the search meanwhile. */
function openFromHome(route: Route): void {
  if (routeOf(location.hash).view === "home") goTo(route);
}
