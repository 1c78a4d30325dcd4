import { routeOf } from "../route.ts";

/** Where the user was in a view when he left it. */
interface Place {
  /** How far the page was scrolled, and the table around the link. */
  top: number;
  tableTop: number;
  /** The fragment that the user went to, which of its links that was, and where on the screen. */
  next: string;
  index: number;
  offset: number;
}

/** The number of history entries whose scroll position is stored. Older entries open at the top. */
const most = 50;

const inputs = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

/**
 * The places of the entries of the history. A browser would restore its own when the hash changes, at which time a view has
 * not read its rows yet. Make it before React watches the hash: when a place is kept, the view is still the one that is left.
 */
export class Places {
  readonly #places = new Map<number, Place>();
  #entry: number;
  #returned: Place | null = null;

  constructor() {
    history.scrollRestoration = "manual";
    this.#entry = entryOf(history.state) ?? newEntry();
    addEventListener("hashchange", ({ newURL }) => {
      this.#keep(new URL(newURL).hash);
      const entry = entryOf(history.state);
      this.#returned = entry === null ? null : this.#places.get(entry) ?? null;
      this.#entry = entry ?? newEntry();
    });
  }

  /** Shows a new view from its top, or one that the user has returned to where it was left. Returns what ends that. */
  show(main: HTMLElement): () => void {
    main.focus({ preventScroll: true }); // a screen reader continues with the new view
    const place = this.#returned;
    if (place !== null) return restore(main, place);
    scrollTo(0, 0);
    return () => {};
  }

  #keep(next: string): void {
    const links = linksTo(next);
    const index = Math.max(0, links.findIndex(isInView));
    const link = links[index];
    const table = link?.closest(".table-scroll");
    this.#places.delete(this.#entry);
    this.#places.set(this.#entry, { top: scrollY, tableTop: table?.scrollTop ?? 0, next, index, offset: link?.getBoundingClientRect().top ?? 0 });
    const [oldest] = this.#places.keys();
    if (this.#places.size > most && oldest !== undefined) this.#places.delete(oldest);
  }
}

/** Goes to a place as soon as the view has it, and keeps it while more is read, until the user does something. */
function restore(main: HTMLElement, { next, index, top, tableTop, offset }: Place): () => void {
  let reached = false;
  const linkOf = () => linksTo(next)[index];
  const distanceOf = (link: HTMLElement) => link.getBoundingClientRect().top - offset;
  const go = () => {
    const link = linkOf();
    if (!reached) scrollTo(0, top);
    if (link === undefined) return;
    const table = link.closest(".table-scroll");
    if (!reached && table) table.scrollTop = tableTop;
    if (document.activeElement === main || document.activeElement === document.body) link.focus({ preventScroll: true });
    // What is above the link may be of another height, for example as long as it is being read.
    scrollBy(0, distanceOf(link));
    reached ||= isNear(distanceOf(link));
  };
  // A scroll bar has no events of its own.
  const scrolled = () => {
    const link = linkOf();
    if (reached && link !== undefined && !isNear(distanceOf(link))) end();
  };
  const observer = new MutationObserver(go);
  const end = () => {
    observer.disconnect();
    removeEventListener("scroll", scrolled);
    for (const input of inputs) removeEventListener(input, end);
  };
  addEventListener("scroll", scrolled, { passive: true });
  for (const input of inputs) addEventListener(input, end, { passive: true });
  observer.observe(main, { childList: true, subtree: true });
  go();
  return end;
}

function isNear(distance: number): boolean {
  return Math.abs(distance) < 2;
}

/** The links to a record. A row's link is also that to a record of the same id that the row led to in its place. */
function linksTo(fragment: string): HTMLElement[] {
  const route = routeOf(fragment);
  const id = "id" in route ? route.id : null;
  return [...document.querySelectorAll<HTMLElement>("main a[href]")].filter((link) =>
    link.getAttribute("href") === fragment || (id !== null && link.closest<HTMLElement>("[data-id]")?.dataset["id"] === id && link.closest(".row-time")));
}

function isInView(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

function entryOf(state: unknown): number | null {
  const { entry } = (state ?? {}) as { entry?: unknown };
  return typeof entry === "number" ? entry : null;
}

/** Marks the present entry of the history. Numbers stay different after the page was loaded again. */
function newEntry(): number {
  const entry = Date.now() + Math.random();
  history.replaceState({ entry }, "");
  return entry;
}
