import { useEffect, useRef } from "react";
import type { Reading } from "../parts/read.ts";

/**
 * While another value of the same key is read, the previous one stays, and with it the focus; `stale` says so. If the read
 * fails, it is removed: the view names another status or page by then.
 */
export function useKept<Value>(reading: Reading<Value>, key: string): Reading<Value> & { stale: boolean } {
  const kept = useRef<{ key: string; value: Value } | null>(null);
  useEffect(() => {
    if (reading.value !== undefined) kept.current = { key, value: reading.value };
  }, [reading.value, key]);
  const stale = reading.reading && reading.value === undefined && kept.current?.key === key;
  return stale && kept.current !== null ? { ...reading, value: kept.current.value, stale } : { ...reading, stale: false };
}
