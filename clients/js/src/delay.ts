// Delays between attempts, and timeouts.

/**
 * Milliseconds before a retry: at most 10 seconds, and random, so that not all clients come back at once.
 *
 * @param retries the number of failed retries before this one
 */
export const delay = (retries: number): number => Math.min(10_000, 500 * 2 ** retries) * (0.5 + Math.random() / 2);

/** The longest time of a timer, in milliseconds: a longer one would be over at once. */
export const longest: number = 2 ** 31 - 1;

/** Waits. It rejects as soon as the signal aborts. */
export function sleep(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(milliseconds, longest));
  });
  return unlessAborted(over, signal).finally(() => clearTimeout(timer));
}

/** Waits for a promise. It rejects as soon as the signal aborts. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return promise;
  let abort: () => void;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(reasonOf(signal));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

/**
 * Runs a function with a signal that aborts with another signal and at a timeout. At the timeout it rejects with the
 * error of `late`, even if the function ignores its signal.
 */
export async function within<T>(
  milliseconds: number | undefined, signal: AbortSignal | null | undefined, late: () => Error,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const control = new AbortController(); // without AbortSignal.any and timeout, which React Native lacks
  let reason: unknown;
  const end = (why: unknown) => control.abort(reason ??= why);
  const abort = () => end(reasonOf(signal));
  const timer = milliseconds === undefined ? undefined : setTimeout(() => end(late()), Math.min(milliseconds, longest));
  signal?.addEventListener('abort', abort);
  try {
    if (signal?.aborted) abort();
    return await unlessAborted(run(control.signal), control.signal);
  } catch (error) {
    throw reason ?? error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** The reason of an aborted signal. React Native's signals have none. */
export const reasonOf = (signal: AbortSignal | null | undefined): unknown =>
  signal?.reason ?? Object.assign(new Error('This operation was aborted'), { name: 'AbortError' });
