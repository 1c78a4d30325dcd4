import { useSyncExternalStore } from "react";

/** Deposits or withdrawals. */
export type Kind = "deposits" | "withdrawals";

/** A kind of record that the APIs have by its id. */
export type ById = "transaction" | "withdrawal" | "notification";

/** Days from the first to the last one, such as 2026-11-23, in the time zone of Brasília. */
export interface Days {
  from: string;
  to: string;
}

/** The date whose days a list is about, if it is not that of creation: of payment (of withdrawals: processing) or refund. */
export type DayOf = "payment" | "refund";

/**
 * What the page shows. It is the fragment of the URL, which a browser does not send, so that a link can be shared and no
 * server or proxy logs the ids. It never has a token or the text of a search, which may be personal data.
 */
export type Route =
  | { view: "home" }
  /** A link that is not complete. */
  | { view: "unknown" }
  /** `createdBefore`: how many days before `days.from` the records may have been created, with a `dayOf`. */
  | { view: "list"; kind: Kind; days: Days; status: string | null; page: number; dayOf?: DayOf; createdBefore?: number }
  | { view: "transaction" | "withdrawal" | "notification"; id: string }
  /** A deposit without a transaction, which can only be found by its time. */
  | { view: "deposit"; id: string; createdAt: string };

export const home: Route = { view: "home" };
const unknown: Route = { view: "unknown" };

/** The fragment of a route, such as "#/deposits/2026-11-23?status=PAID". */
export function hrefOf(route: Route): string {
  switch (route.view) {
    case "home":
    case "unknown":
      return "#/";
    case "list": {
      const { kind, days, status, page, dayOf, createdBefore } = route;
      const query = new URLSearchParams({
        ...(dayOf && { by: dayOf }), ...(dayOf && createdBefore && { before: String(createdBefore) }),
        ...(status !== null && { status }), ...(page > 1 && { page: String(page) }),
      });
      return `#/${kind}/${days.from === days.to ? days.from : `${days.from}..${days.to}`}${query.size > 0 ? `?${query}` : ""}`;
    }
    case "deposit":
      return `#/deposit/${encodeURIComponent(route.id)}?${new URLSearchParams({ created: route.createdAt })}`;
    default:
      return `#/${route.view}/${encodeURIComponent(route.id)}`;
  }
}

/** The route of a fragment. */
export function routeOf(fragment: string): Route {
  const [path = "", query = ""] = fragment.replace(/^#\/?/, "").split("?", 2);
  const [view = "", rest = ""] = path.split("/", 2);
  const given = new URLSearchParams(query);
  switch (view) {
    case "deposits":
    case "withdrawals": {
      const [from = "", to = from] = rest.split("..", 2);
      if (!isDay(from) || !isDay(to) || from > to) return unknown;
      const dayOf = given.get("by");
      const before = countOf(given.get("before"));
      return {
        view: "list", kind: view, days: { from, to }, status: given.get("status"), page: countOf(given.get("page")) ?? 1,
        ...((dayOf === "payment" || dayOf === "refund") && { dayOf, ...(before !== null && { createdBefore: Math.min(before, mostBefore) }) }),
      };
    }
    case "transaction":
    case "withdrawal":
    case "notification":
    case "deposit": {
      const id = decoded(rest);
      if (id === "") return unknown;
      return view === "deposit" ? { view, id, createdAt: given.get("created") ?? "" } : { view, id };
    }
    default:
      return view === "" && rest === "" ? home : unknown;
  }
}

/** A number from 1 on; null for another text. */
function countOf(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

/** A year. Larger numbers would give days that do not exist. */
const mostBefore = 366;

/** Whether a text is a day that exists, such as 2026-11-23. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

export function goTo(route: Route): void {
  location.hash = hrefOf(route);
}

/** The route of the page's URL, also after the user has gone back. */
export function useRoute(): Route {
  const fragment = useSyncExternalStore(watchFragment, () => location.hash);
  return routeOf(fragment);
}

function watchFragment(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}
