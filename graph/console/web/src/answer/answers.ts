import type { ExecutionResult } from "graphql";
import { parseExact } from "../exact.ts";
import type { Stream } from "../live/stream.ts";
import { size } from "../waterfall/format.ts";
import type { Asked } from "./fields.ts";

/** An answer of the gateway to an operation of the editor. */
export interface Answered {
  asked: Asked;
  /** What is known about its response: status, duration and size. */
  figures: string;
  /** The whole answer as GraphiQL formats it. */
  text: string;
  /** The same with long base64 values abbreviated, which GraphiQL shows; equal to text without such values. */
  folded: string;
}

/** Formats an answer. */
export function answered(answer: unknown, asked: Asked, figures: string): Answered {
  const text = JSON.stringify(answer, null, 2);
  const folded = JSON.stringify(answer, (_key, value: unknown) => (typeof value === "string" ? fold(value) : value), 2);
  return { asked, figures, text, folded };
}

/** What GraphiQL shows of an answer. */
export function resultOf({ folded }: Answered): ExecutionResult {
  return parseExact(folded) as ExecutionResult;
}

/** The figures of a response to a query. */
export function figuresOf(status: number, millis: number, text: string): string {
  return `Status ${status} · ${Math.round(millis)} ms · ${size(new Blob([text]).size)}`;
}

/** How many answers and streams are kept: those of more tabs than users open. */
const maxAnswers = 20;

/** The newest answers, by the text that GraphiQL shows. They are in the memory of the page only. */
export class Answers {
  readonly #answers: (Answered | Stream)[] = [];

  /** Adds an answer, or a stream, whose events are answers. */
  add(answer: Answered | Stream): void {
    this.#answers.unshift(answer);
    this.#answers.splice(maxAnswers);
  }

  /**
   * The newest answer with this text, folded or whole, with its stream if it is an event; null for another text, such as the
   * one of a failed request.
   */
  of(shown: string): { answered: Answered; stream: Stream | null } | null {
    const isShown = ({ text, folded }: Answered) => shown === folded || shown === text;
    for (const answer of this.#answers) {
      const stream = "state" in answer ? answer : null;
      const found = stream ? stream.state.get().events.find(isShown) : isShown(answer as Answered) && (answer as Answered);
      if (found) return { answered: found, stream };
    }
    return null;
  }
}

const base64 = /^(data:[\w.+-]+\/[\w.+-]+;base64,)?[A-Za-z0-9+/]{160,}={0,2}$/;

/** Abbreviates a long base64 text; other texts are returned unchanged. */
export function fold(text: string): string {
  return base64.test(text) ? `${text.slice(0, 40)}… (${text.length} characters)` : text;
}
