// Cursors are opaque: the reference uses stand-ins for them, which contain the position of a cursor. Each stand-in must
// always correspond to the same cursor, and two stand-ins to two cursors.

const prefix = 'a cursor to ';

export class Cursors {
  #cursorOf = new Map();
  #standInOf = new Map();

  /** The stand-in for the cursor of a position. */
  stand(place) {
    return prefix + JSON.stringify(place);
  }

  /** The position of a cursor of the gateway; undefined for an unknown cursor. */
  placeOf(cursor) {
    const standIn = this.#standInOf.get(cursor);
    return standIn && JSON.parse(standIn.slice(prefix.length));
  }

  /** Whether a text of the reference is a stand-in. */
  is(text) {
    return text.startsWith(prefix);
  }

  /** Whether the gateway's cursor corresponds to the stand-in; the first time, the pair is stored. */
  agree(standIn, cursor) {
    if (typeof cursor !== 'string' || !/^[\w-]+$/.test(cursor)) return false;
    if (!this.#cursorOf.has(standIn) && !this.#standInOf.has(cursor)) {
      this.#cursorOf.set(standIn, cursor);
      this.#standInOf.set(cursor, standIn);
    }
    return this.#cursorOf.get(standIn) === cursor && this.#standInOf.get(cursor) === standIn;
  }
}
