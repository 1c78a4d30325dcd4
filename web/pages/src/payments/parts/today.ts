import { useSyncExternalStore } from "react";
import { dayOf } from "../zone.ts";

/** The present day. A view that is open at midnight is drawn again. */
export function useToday(): string {
  return useSyncExternalStore(watchClock, () => dayOf(new Date()));
}

/** Looks every second: a timer that ends at midnight would be late on a computer that was asleep. */
function watchClock(changed: () => void): () => void {
  const timer = setInterval(changed, 1000);
  return () => clearInterval(timer);
}
