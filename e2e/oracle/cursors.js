// Cursors are opaque: the reference has stand-ins for them, which say the place that a cursor leads to. Each stand-in must
// always be the same cursor, and no two the same one.

const prefix = 'a cursor to ';

export class Cursors {
  #cursorOf = new Map();
  #standInOf = new Map();

  /** What stands in for the cursor to a place. */
  stand(place) {
    return prefix + JSON.stringify(place);
  }

  /** The place that a cursor of the gateway leads to; undefined for a text that was never one. */
  placeOf(cursor) {
    const standIn = this.#standInOf.get(cursor);
    return standIn && JSON.parse(standIn.slice(prefix.length));
  }

  /** Whether a text of the reference is a stand-in. */
  is(text) {
    return text.startsWith(prefix);
  }

  /** Whether the gateway's cursor may stand where the stand-in does; the first time, it is remembered. */
  agree(standIn, cursor) {
    if (typeof cursor !== 'string' || !/^[\w-]+$/.test(cursor)) return false;
    if (!this.#cursorOf.has(standIn) && !this.#standInOf.has(cursor)) {
      this.#cursorOf.set(standIn, cursor);
      this.#standInOf.set(cursor, standIn);
    }
    return this.#cursorOf.get(standIn) === cursor && this.#standInOf.get(cursor) === standIn;
  }
}
