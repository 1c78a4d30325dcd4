// The errors of the gateway, in the form that each client gives them.

import type { FormattedError } from './result.js';
import { type ErrorCode, errorCodes } from './schema.js';

export type { ErrorExtensions, FormattedError } from './result.js';
export { type ErrorCode, errorCodes } from './schema.js';

/** A response without data, as an error. */
export class GatewayError extends Error {
  override name = 'GatewayError';
  /** The entries of `errors`. */
  readonly errors: readonly FormattedError[];

  constructor(errors: readonly FormattedError[]) {
    super(errors.map(({ message }) => message).join('\n'));
    this.errors = errors;
  }
}

/**
 * The gateway's errors in a value that a client throws or returns; an empty list if it has none, as for a lost
 * connection. The value can be a response, an entry or the list of `errors`, or an error of Apollo Client, urql,
 * graphql-request, Relay, graphql-sse or graphql-ws.
 */
export function errorsOf(thrown: unknown): readonly FormattedError[] {
  if (Array.isArray(thrown)) return thrown.filter((entry) => entry != null) as FormattedError[];
  const { errors, graphQLErrors, response, source, bodyText, extensions } = (thrown ?? {}) as Shapes;
  const found = errors ?? graphQLErrors ?? response?.errors ?? source?.errors;
  if (Array.isArray(found)) return errorsOf(found);
  if (extensions?.code) return [thrown as FormattedError];
  try {
    return errorsOf((JSON.parse(bodyText!) as Shapes).errors);
  } catch {
    return [];
  }
}

/** Where clients have the errors. */
interface Shapes {
  errors?: unknown; // a response; Apollo's CombinedGraphQLErrors; GatewayError
  graphQLErrors?: unknown; // urql's CombinedError
  response?: Shapes; // graphql-request's ClientError
  source?: Shapes; // Relay
  bodyText?: string; // Apollo's ServerError
  extensions?: { code?: unknown };
}

/**
 * The code of the first error; INTERNAL if this version does not know it, undefined without an error of the gateway.
 */
export function codeOf(thrown: unknown): ErrorCode | undefined {
  const code = errorsOf(thrown)[0]?.extensions?.code;
  return code && (errorCodes.includes(code) ? code : 'INTERNAL');
}

/** Whether the same request may succeed later: whether an error of the gateway says so. */
export const isRetryable = (thrown: unknown): boolean =>
  errorsOf(thrown).some(({ extensions }) => extensions?.retryable);

/** Whether the gateway or an API refused the token. With `withToken`, a new one was refused too. */
export const isUnauthenticated = (thrown: unknown): boolean =>
  errorsOf(thrown).some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED');

/**
 * The delay before a retry, in milliseconds: the longest of those in the errors, in a ResponseError, and in the
 * `Retry-After` of the response; 0 if none of them has one.
 */
export function retryAfterMs(thrown: unknown): number {
  const { retryAfterMs: named, response } = (thrown ?? {}) as { retryAfterMs?: unknown; response?: Partial<Response> };
  const inErrors = errorsOf(thrown).map(({ extensions }) => extensions?.retryAfterMs);
  const times = [named, headerMs(response?.headers), ...inErrors];
  return Math.max(0, ...(times.filter((time) => typeof time === 'number' && time > 0) as number[]));
}

/**
 * The milliseconds of `Retry-After`: whole seconds, or a date, which begins with the name of a day (RFC 9110, 10.2.3).
 * 0 without either: `Date.parse` alone would read 32.5 as a month of the year 2032.
 */
export function headerMs(headers?: Headers): number {
  const after = headers?.get?.('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(after)) return Number(after) * 1000;
  return /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(after) ? Math.max(0, Date.parse(after) - Date.now()) || 0 : 0;
}

/** The HTTP status with which an API answered, from the first error that has one. */
export const upstreamStatus = (thrown: unknown): number | undefined =>
  errorsOf(thrown).find(({ extensions }) => extensions?.upstreamStatus)?.extensions?.upstreamStatus;

/** A response, parts of which may be missing. */
export interface Parts<Data> {
  /** The available data. */
  data: Data;
  /**
   * The code of the first error of each field of the operation that is missing, or in which something is missing. An
   * error without a path is one of every field.
   */
  problems: Partial<Record<keyof Data & string, ErrorCode>>;
}

/**
 * Returns the data and the errors of a response whose fields may fail independently. It throws a GatewayError if there
 * is no data, and the client's own error if that is not from the gateway, such as that of a lost connection: then the
 * data is only from a cache.
 *
 * @param result the result of Apollo Client with `errorPolicy: 'all'` or of urql, the `response` of graphql-request's
 *   ClientError, or a response
 */
export function partsOf<Data>(
  result: { data?: Data | null | undefined; error?: unknown; errors?: unknown },
): Parts<Data> {
  const { data, error, errors = error } = result;
  const found = errorsOf(errors);
  if (error && found.length === 0) throw error;
  if (data == null) throw new GatewayError(found);
  const problems: Partial<Record<string, ErrorCode>> = {};
  for (const each of [...found].reverse()) { // so that the first one stays
    for (const field of each.path?.slice(0, 1) ?? Object.keys(data)) problems[field] = codeOf([each]) ?? 'INTERNAL';
  }
  return { data, problems: problems as Parts<Data>['problems'] };
}
