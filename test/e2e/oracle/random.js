// Random choices that depend only on a seed, the same on every machine.

export class Random {
  #state;

  /** The choices for one document of a run. */
  constructor(seed, document) {
    this.#state = (Math.imul(seed >>> 0, 0x9e3779b1) ^ Math.imul(document + 1, 0x85ebca6b) ^ Math.floor(seed / 2 ** 32)) >>> 0;
    for (let i = 0; i < 4; i++) this.#next();
  }

  /** mulberry32. */
  #next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** A whole number from 0 to n - 1. */
  below(n) {
    return this.#next() % n;
  }

  /** True with the given probability in percent. */
  percent(n) {
    return this.below(100) < n;
  }

  /** An element of a list. */
  of(list) {
    return list[this.below(list.length)];
  }

  /** A shuffled copy of a list. */
  shuffled(list) {
    const copy = [...list];
    for (let i = copy.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [copy[i], copy[j]] = [copy[j], copy[i]];
    }
    return copy;
  }
}
