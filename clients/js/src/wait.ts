// Waiting for a payment without streams, for platforms that lack them such as React Native.

import { pauseFor, sleep, withTimeout } from './delay.js';
import { GatewayError, errorsOf, retryAfterMs } from './errors.js';
import { isTemporary, isTransient, json, post, resultOf, textOf } from './http.js';
import { Reached, recordOf } from './record.js';
import type { Document, Fetch, Operation, Result } from './result.js';

/** The variables of a document for `waitFor`. It sets `since` and `timeoutSeconds` itself. */
export interface WaitVariables {
  id: string | number;
  /** The statuses to wait for. */
  until: readonly string[] | string;
  /** `updatedAt` of an earlier response: statuses count that were reached since then. */
  since?: string | null | undefined;
}

/** The record that the documents of this module select. */
export interface Payment {
  id: string;
  amount: number;
  /** UNKNOWN for a status that the schema lacks: `statusRaw` has it. */
  status: string;
  statusRaw: string;
  updatedAt: string;
  statusHistory: readonly ({ status: string; date: string } | null)[];
}

const documentOf = (field: string, status: string) => `query (
  $id: ID!, $until: [${status}!]!, $since: DateTime, $timeoutSeconds: Int!
) {
  ${field}(id: $id, until: $until, since: $since, timeoutSeconds: $timeoutSeconds) {
    id amount status statusRaw updatedAt statusHistory { status date }
  }
}`;

/** A document for `waitFor`, of a transaction. */
export const awaitTransaction: Document<{ awaitTransaction: Payment | null }, WaitVariables> =
  /* @__PURE__ */ documentOf('awaitTransaction', 'TransactionStatus');

/** A document for `waitFor`, of a withdrawal. */
export const awaitWithdrawal: Document<{ awaitWithdrawal: Payment | null }, WaitVariables> =
  /* @__PURE__ */ documentOf('awaitWithdrawal', 'WithdrawalStatus');

/** How `waitFor` waits. */
export interface WaitOptions<Data> {
  /** Such as `withToken(renew)`. */
  fetch?: Fetch | undefined;
  /** Ends the wait: `waitFor` throws its reason. */
  signal?: AbortSignal | undefined;
  /** The longest wait, in milliseconds: after it, `waitFor` throws an error with the name TimeoutError. */
  timeout?: number | undefined;
  /** Is called with the data of each response, about every 20 seconds. */
  onData?: ((data: Data) => void) | undefined;
  /** Is called before a retry, with why it failed: an error, or a response with errors. */
  onRetry?: ((failure: unknown) => void) | undefined;
}

/** An operation with the variables of its document, as far as `waitFor` does not set them. */
type Waiting<Data, Variables> = Omit<Operation<Data, Variables>, 'variables'> & {
  variables: NoInfer<Omit<Variables, 'since' | 'timeoutSeconds'>> & Pick<WaitVariables, 'until' | 'since'>;
};

/**
 * Waits until a payment reaches one of the statuses, and returns the data of that response. It retries lost connections
 * and retryable errors, and throws a GatewayError for other errors. Statuses that the payment had before the first
 * response do not count, unless `since` is set.
 *
 * @param operation a document whose only field waits, such as `awaitTransaction`. Another one needs the variables
 *   `$id`, `$until`, `$since` and `$timeoutSeconds`, and the fields `status`, `updatedAt` and `statusHistory { status
 *   date }`
 */
export function waitFor<Data, Variables extends WaitVariables>(
  url: string, operation: Waiting<Data, Variables>, options: WaitOptions<Data> = {},
): Promise<Data> {
  const timeoutError = () => Object.assign(new Error('the wait has reached its timeout'), { name: 'TimeoutError' });
  return withTimeout(options.timeout, options.signal, timeoutError, (signal) => poll(url, operation, options, signal));
}

/** The milliseconds that a response may take beyond the wait of its document. */
const margin = 20_000;

async function poll<Data, Variables extends WaitVariables>(
  url: string, operation: Waiting<Data, Variables>,
  { fetch: send = fetch, onData, onRetry }: WaitOptions<Data>, signal: AbortSignal,
): Promise<Data> {
  const until = [operation.variables.until].flat();
  let { since } = operation.variables;
  const reached = new Reached();
  let timeoutSeconds = since ? 20 : 1; // without `since`, a short first request gets `updatedAt`, which becomes `since`
  const idleError = () => new TypeError('the connection is idle');
  for (let retries = 0; ;) {
    const variables = { ...operation.variables, since: reached.since(since), timeoutSeconds };
    const body = textOf({ ...operation, variables });
    let result: Result<Data> | undefined;
    let failure: unknown;
    try {
      result = await withTimeout(timeoutSeconds * 1000 + margin, signal, idleError, async (limited) =>
        resultOf<Data>(await post(send, url, body, json, limited)));
    } catch (error) {
      if (signal.aborted || !isTransient(error)) throw error;
      failure = error;
    }
    const record = result && recordOf(result);
    if (record) {
      onData?.(result!.data!);
      if (reached.by(record, until, since)) return result!.data!;
      since = record.updatedAt ?? since;
      timeoutSeconds = 20;
      retries = 0;
    } else {
      failure ??= result;
      if (result && !isTemporary(result)) throw new GatewayError(errorsOf(result));
      onRetry?.(failure);
    }
    await sleep(pauseFor(failure ? retries++ : 0, retryAfterMs(failure)), signal);
  }
}
