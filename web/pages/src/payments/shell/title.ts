import { shortened } from "../parts/identifier.tsx";
import type { Route } from "../route.ts";
import { shell } from "../words/shell.ts";

type Words = typeof shell.en;

/** The title of the document, which the browser's history has too: without names and amounts. */
export function titleOf(route: Route, words: Words): string {
  switch (route.view) {
    case "home":
    case "unknown":
      return `${words.payments} · Pixgraph`;
    case "list":
      return `${words[route.kind]} ${[...new Set([route.days.from, route.days.to])].join(" – ")} · Pixgraph`;
    default:
      return `${words.records[route.view]} ${shortened(route.id)} · Pixgraph`;
  }
}
