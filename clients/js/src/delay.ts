// The time between attempts.

/**
 * Milliseconds before a retry: at most 10 seconds, and random, so that not all clients come back at once.
 *
 * @param retries the number of failed retries before this one
 */
export const delay = (retries: number): number => Math.min(10_000, 500 * 2 ** retries) * (0.5 + Math.random() / 2);

/** Waits. It rejects as soon as the signal aborts. */
export function sleep(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The reason of an aborted signal. React Native's signals have none. */
export const reasonOf = (signal: AbortSignal | null | undefined): unknown =>
  signal?.reason ?? Object.assign(new Error('This operation was aborted'), { name: 'AbortError' });
