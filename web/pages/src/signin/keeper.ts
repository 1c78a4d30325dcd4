import type { Items } from "../base/stored.ts";
import type { Token } from "./token.ts";
import { isExpired, readToken } from "./token.ts";

/**
 * What survives a reload of this browser tab, in sessionStorage: whether the user signed in at the issuer, which is not
 * secret; and the token, if the user wants that.
 */
export class Keeper {
  readonly #storage: Items;
  readonly #shared: Items;
  readonly #prefix: string;

  /** `shared` has what holds for other tabs too: that the user has signed out. A tab that was signed in then no longer is. */
  constructor(storage: Items, path: string, shared: Items) {
    this.#storage = storage;
    this.#shared = shared;
    this.#prefix = `pixgraph:${path}:`;
    if (this.signedOut && this.signedIn) this.store({ token: null, keep: this.keepsToken, signedIn: false });
  }

  /** Whether the user has signed out, and not in again: no tab signs in by itself then. */
  get signedOut(): boolean {
    return this.#shared.getItem(this.#prefix + "signed-out") !== null;
  }

  set signedOut(signedOut: boolean) {
    if (signedOut) this.#shared.setItem(this.#prefix + "signed-out", "1");
    else this.#shared.removeItem(this.#prefix + "signed-out");
  }

  get signedIn(): boolean {
    return this.#storage.getItem(this.#prefix + "signed-in") !== null;
  }

  get keepsToken(): boolean {
    return this.#storage.getItem(this.#prefix + "keep") !== null;
  }

  /** The token from before the reload, while it is valid. */
  token(now: number): Token | null {
    const text = this.#storage.getItem(this.#prefix + "token");
    if (text === null) return null;
    const token = readToken(text);
    return isExpired(token, now) ? null : token;
  }

  store(what: { token: Token | null; keep: boolean; signedIn: boolean }): void {
    this.#put("signed-in", what.signedIn ? "1" : null);
    this.#put("keep", what.keep ? "1" : null);
    this.#put("token", what.keep && what.token !== null ? what.token.text : null);
  }

  #put(name: string, value: string | null): void {
    if (value === null) this.#storage.removeItem(this.#prefix + name);
    else this.#storage.setItem(this.#prefix + name, value);
  }
}
