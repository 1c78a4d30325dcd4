import { useSyncExternalStore } from "react";

/** As wide as a phone, as in the style sheets. */
const query = matchMedia("(max-width: 640px)");

/** Whether the page is as narrow as that of a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(watch, () => query.matches);
}

function watch(changed: () => void): () => void {
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
}
