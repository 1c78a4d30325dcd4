// What is wrong with a document. A document has one fault, or a few, at a place that chance decides: with one everywhere, it
// would always be the parser that refuses it.

export class Faults {
  #random;
  #left; // faults that the document is still to get

  constructor(random) {
    this.#random = random;
    const dice = random.below(100);
    this.#left = dice < 45 ? 0 : dice < 90 ? 1 : 3;
  }

  /** Whether there is to be a fault here, so many times out of a hundred. */
  here(percent) {
    if (this.#left === 0 || !this.#random.percent(percent)) return false;
    this.#left--;
    return true;
  }
}
