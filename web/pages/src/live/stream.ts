import type { ExecutionResult } from "graphql";
import { answered, type Answered } from "../operations/answered.ts";
import type { Asked } from "../operations/fields.ts";
import { Observable } from "../base/observable.ts";
import type { Live } from "../base/client.ts";
import { size } from "../base/format.ts";

/** An event as it is listed. */
export interface Event extends Answered {
  /** 1 for the first event of the stream. */
  number: number;
  reason: string;
  /** The reason in words. */
  words: string;
  observedAt: string;
  /** The status of the record; null for a page, and if it is not selected. */
  status: string | null;
}

export interface StreamState {
  /** The newest first. */
  events: readonly Event[];
  /** How many events there were, with those that are no longer listed. */
  count: number;
  /** When the next read is due, by the clock of performance.now(); null if that is not known. */
  due: number | null;
  /** How many times the page has tried to connect again since the connection was lost; 0 while there is one. */
  tries: number;
  /** Why the stream ended, for the user; null while it runs. */
  end: string | null;
}

/** How much of a stream is kept: events, and characters of their texts. Older events are dropped; the newest never is. */
const maxEvents = 100;
const maxCharacters = 4_000_000;

const words: Record<string, string> = {
  SNAPSHOT: "First answer",
  CHANGED: "The answer changed",
  REACHED: "A status of “until” was reached",
  STALE: "The API cannot be read",
  RECOVERED: "The API can be read again",
  FAILED: "Failed",
};

/** A subscription that runs or ran, with its newest events. It is in the memory of the page only. */
export class Stream {
  readonly state = new Observable<StreamState>({ events: [], count: 0, due: null, tries: 0, end: null });
  readonly #asked: Asked;
  #heard = performance.now();

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  /** When something arrived last, an event or a heartbeat, by the clock of performance.now(). */
  get heard(): number {
    return this.#heard;
  }

  readonly hear = (): void => {
    this.#heard = performance.now();
  };

  /** Adds an event, whose text is that of its JSON as it was sent. */
  add(answer: ExecutionResult, text: string): Event {
    const { events, count } = this.state.get();
    const live = liveOf(answer);
    const reason = live?.reason ?? "";
    const observedAt = live?.observedAt ?? new Date().toISOString();
    const event: Event = {
      ...answered(answer, this.#asked, `Event ${count + 1} · ${reason || "no reason"} · ${size(new Blob([text]).size)}`),
      number: count + 1, reason, words: words[reason] ?? reason, observedAt, status: statusOf(answer),
    };
    const next = live?.nextPollMs ?? null;
    this.state.set({
      events: bounded([event, ...events]), count: count + 1, due: next === null ? null : performance.now() + next, tries: 0, end: null,
    });
    return event;
  }

  /** Notes that the connection was lost, and is about to be opened again. */
  reconnect(): void {
    const state = this.state.get();
    this.state.set({ ...state, due: null, tries: state.tries + 1 });
  }

  /** Notes the end. Only the first one counts. */
  end(why: string): void {
    if (this.state.get().end === null) this.state.set({ ...this.state.get(), due: null, end: why });
  }
}

export function liveOf(answer: ExecutionResult): Live | null {
  return (answer.extensions?.["live"] as Live | undefined) ?? null;
}

function statusOf({ data }: ExecutionResult): string | null {
  const record = Object.values(data ?? {})[0];
  const status = typeof record === "object" && record !== null && "status" in record ? record.status : null;
  return typeof status === "string" ? status : null;
}

function bounded(events: Event[]): Event[] {
  let characters = 0;
  const kept = events.slice(0, maxEvents).findIndex(({ text, folded }, at) => {
    characters += text.length + (folded === text ? 0 : folded.length);
    return at > 0 && characters > maxCharacters;
  });
  return events.slice(0, kept < 0 ? maxEvents : kept);
}

/** How far away the next read is, in words. */
export function nextRead({ due, end }: StreamState, heard: number, now: number): string {
  if (end !== null) return "";
  if (now - heard > silence) return `Nothing has arrived for ${Math.round((now - heard) / 1000)} s. The connection may be lost.`;
  if (due === null) return "";
  return due > now ? `Next read in ${Math.ceil((due - now) / 1000)} s` : "Reading again; no change so far";
}

/** A time without heartbeats after which the user is warned: gateways send one every 15 s by default. */
const silence = 35_000;
