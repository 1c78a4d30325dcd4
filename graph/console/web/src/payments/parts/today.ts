import { useSyncExternalStore } from "react";
import { dayOf } from "../zone.ts";

/** The present day. A view that is open at midnight is drawn again. */
export function useToday(): string {
  return useSyncExternalStore(watchClock, () => dayOf(new Date()));
}

/** A timer until midnight would be late after the computer was asleep. */
function watchClock(changed: () => void): () => void {
  const timer = setInterval(changed, 1000);
  return () => clearInterval(timer);
}
