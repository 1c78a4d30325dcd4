import type { Stream } from "./stream.ts";
import type { Answered } from "../operations/answered.ts";

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
