// Delays between attempts, and timeouts.

/**
 * Milliseconds before a retry: at most 10 seconds, and random, so that clients do not all reconnect at the same time.
 *
 * @param retries the number of failed retries before this one
 */
export const delay = (retries: number): number => Math.min(10_000, 500 * 2 ** retries) * (0.5 + Math.random() / 2);

/** The longest delay that a server can name, in milliseconds: an outage that was to last for a day may be over. */
const longestNamed = 300_000;

/** Milliseconds before a retry, with the delay that a server has named. */
export const pauseFor = (retries: number, named: number): number => Math.max(delay(retries), Math.min(named, longestNamed));

/** The longest delay of setTimeout, in milliseconds: with a longer one, the timer fires immediately. */
const longest: number = 2 ** 31 - 1;

/** Waits. It rejects as soon as the signal aborts. */
export function sleep(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(milliseconds, longest));
  });
  return abortable(elapsed, signal).finally(() => clearTimeout(timer));
}

/** Waits for a promise. It rejects as soon as the signal aborts. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
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
 * error of `timeoutError`, even if the function ignores its signal.
 */
export async function withTimeout<T>(
  milliseconds: number | undefined, signal: AbortSignal | null | undefined, timeoutError: () => Error,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const control = new AbortController(); // without AbortSignal.any and timeout, which React Native lacks
  let reason: unknown;
  const abortWith = (error: unknown) => control.abort(reason ??= error);
  const abort = () => abortWith(reasonOf(signal));
  const timer =
    milliseconds === undefined ? undefined : setTimeout(() => abortWith(timeoutError()), Math.min(milliseconds, longest));
  signal?.addEventListener('abort', abort);
  try {
    if (signal?.aborted) abort();
    return await abortable(run(control.signal), control.signal);
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
