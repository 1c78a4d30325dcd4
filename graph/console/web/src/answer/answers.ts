import { parseExact } from "../exact.ts";

/** An answer of the gateway to an operation of the editor. */
export interface Answered {
  query: string;
  /** The HTTP status. */
  status: number;
  /** From sending the request until the body was read. */
  millis: number;
  /** The size of the body, after decompression. */
  bytes: number;
  /** The whole answer as GraphiQL formats it. */
  text: string;
  /** The same with long base64 values abbreviated, which GraphiQL shows; equal to text without such values. */
  folded: string;
}

/** How many answers are kept: those of more tabs than users open. */
const maxAnswers = 20;

/** The newest answers, by the text that GraphiQL shows. They are in the memory of the page only. */
export class Answers {
  readonly #answers: Answered[] = [];

  /** Adds an answer, and returns the result to show. */
  add<Answer>(answer: Answer, facts: Omit<Answered, "text" | "folded">): Answer {
    const text = JSON.stringify(answer, null, 2);
    const folded = JSON.stringify(answer, (_key, value: unknown) => (typeof value === "string" ? fold(value) : value), 2);
    this.#answers.unshift({ ...facts, text, folded });
    this.#answers.splice(maxAnswers);
    return folded === text ? answer : (parseExact(folded) as Answer);
  }

  /** The newest answer with this text, folded or whole; null for another text, such as the one of a failed request. */
  of(shown: string): Answered | null {
    return this.#answers.find(({ text, folded }) => shown === folded || shown === text) ?? null;
  }
}

const base64 = /^(data:[\w.+-]+\/[\w.+-]+;base64,)?[A-Za-z0-9+/]{160,}={0,2}$/;

/** Abbreviates a long base64 text; other texts are returned unchanged. */
export function fold(text: string): string {
  return base64.test(text) ? `${text.slice(0, 40)}… (${text.length} characters)` : text;
}
