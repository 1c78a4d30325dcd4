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
 * The gateway's errors in what a client throws or returns; none if it failed for another reason, such as a lost
 * connection. It reads a response, an entry of `errors` or all of them, and the errors of Apollo Client, urql,
 * graphql-request, Relay, graphql-sse and graphql-ws.
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
 * The milliseconds to wait before a retry, which the errors, the ResponseError, or the response of a client's error
 * name; 0 without any.
 */
export function retryAfterMs(thrown: unknown): number {
  const { retryAfterMs: named, response } = (thrown ?? {}) as { retryAfterMs?: unknown; response?: Partial<Response> };
  const times = [named, headerMs(response?.headers), ...errorsOf(thrown).map(({ extensions }) => extensions?.retryAfterMs)];
  return Math.max(0, ...times.filter((time) => typeof time === 'number' && time > 0) as number[]);
}

/** The milliseconds of `Retry-After`; 0 without any. */
export function headerMs(headers?: Headers): number {
  const after = headers?.get?.('retry-after') ?? '';
  return Math.max(0, /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now()) || 0;
}

/** The status of the API's response that the first error about an API is about. */
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
 * The parts of a response of an operation whose fields may fail independently. It throws if there is no data at all,
 * and if another error than the gateway's, such as that of a lost connection, left only data of a cache.
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
  for (const each of found) {
    for (const field of each.path?.slice(0, 1) ?? Object.keys(data)) problems[field] ??= codeOf([each]) ?? 'INTERNAL';
  }
  return { data, problems: problems as Parts<Data>['problems'] };
}
