// The faults of a document. A document has zero, one or a few faults, at random places: with faults everywhere, the
// parser would refuse every document.

export class Faults {
  #random;
  #left; // faults that the document still gets

  constructor(random) {
    this.#random = random;
    const dice = random.below(100);
    this.#left = dice < 45 ? 0 : dice < 90 ? 1 : 3;
  }

  /** Whether to make a fault here, with the given probability in percent. */
  here(percent) {
    if (this.#left === 0 || !this.#random.percent(percent)) return false;
    this.#left--;
    return true;
  }
}
