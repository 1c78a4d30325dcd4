import { useEffect, useRef } from "react";
import type { Reading } from "../parts/read.ts";

/**
 * While something else of the same key is read, what was read before stays, and with it the focus. `stale` says so. If that
 * fails, it goes: it is of another status or page than the view says.
 */
export function useKept<Value>(reading: Reading<Value>, key: string): Reading<Value> & { stale: boolean } {
  const kept = useRef<{ key: string; value: Value } | null>(null);
  useEffect(() => {
    if (reading.value !== undefined) kept.current = { key, value: reading.value };
  }, [reading.value, key]);
  const stale = reading.reading && reading.value === undefined && kept.current?.key === key;
  return stale && kept.current !== null ? { ...reading, value: kept.current.value, stale } : { ...reading, stale: false };
}
