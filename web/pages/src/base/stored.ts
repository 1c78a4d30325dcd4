/** What is used of a browser's storage. */
export type Items = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** A storage of the browser, and memory for what it does not take: a user may deny storage to pages, and it may be full. */
export class Stored implements Items {
  readonly #of: () => Items;
  readonly #memory = new Map<string, string>();

  constructor(of: () => Items) {
    this.#of = of;
  }

  getItem(key: string): string | null {
    return this.#memory.get(key) ?? this.#tried((storage) => storage.getItem(key)) ?? null;
  }

  setItem(key: string, value: string): void {
    this.#memory.delete(key);
    if (this.#tried((storage) => storage.setItem(key, value) ?? true)) return;
    this.removeItem(key); // an older value would come back after a reload
    this.#memory.set(key, value);
  }

  removeItem(key: string): void {
    this.#memory.delete(key);
    this.#tried((storage) => storage.removeItem(key));
  }

  #tried<Value>(act: (storage: Items) => Value): Value | undefined {
    try {
      return act(this.#of());
    } catch {
      return undefined;
    }
  }
}

/** What all tabs of a browser share, and what a reload of a tab keeps. */
export const shared = new Stored(() => localStorage);
export const ofTab = new Stored(() => sessionStorage);
