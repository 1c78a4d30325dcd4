import { useEffect, useRef, useState } from "react";
import { Failure } from "../gateway.ts";

/** Something that is read from the gateway. The value of an earlier read of the same key stays, also next to the error of a later one. */
export interface Reading<Value> {
  value: Value | undefined;
  reading: boolean;
  error: unknown;
  again: () => void;
  /** Ends what is being read. */
  stop: () => void;
  /** Another number after each read that the user, or a change, asked for. */
  version: number;
}

/** Reads when the key changes, and when `again` is called. A read that is no longer needed is aborted. */
export function useReading<Value>(key: string, read: (signal: AbortSignal) => Promise<Value>): Reading<Value> {
  const [count, setCount] = useState(0);
  const current = useRef<AbortController | null>(null);
  const [state, setState] = useState<{ key: string; value?: Value; reading: boolean; error: unknown }>({ key, reading: true, error: null });
  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    current.current = control;
    setState((before) => ({ ...(before.key === key && before.value !== undefined && { value: before.value }), key, reading: true, error: null }));
    read(signal).then(
      (value) => signal.aborted || setState({ key, value, reading: false, error: null }),
      (error: unknown) => signal.aborted || setState((before) => ({ ...before, key, reading: false, error })),
    );
    return () => control.abort();
  }, [key, count]);
  const { value, reading, error } = state.key === key ? state : { value: undefined, reading: true, error: null };
  const stop = () => {
    current.current?.abort();
    setState((before) => ({ ...before, reading: false, error: new Failure("stopped", "STOPPED", null) }));
  };
  return { value, reading, error, again: () => setCount(count + 1), stop, version: count };
}
