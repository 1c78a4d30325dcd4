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
  if (Array.isArray(thrown)) return thrown as FormattedError[];
  const { errors, graphQLErrors, response, source, bodyText, extensions } = (thrown ?? {}) as Shapes;
  const found = errors ?? graphQLErrors ?? response?.errors ?? source?.errors;
  if (Array.isArray(found)) return found as FormattedError[];
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

/** The milliseconds to wait before a retry, which the errors or the ResponseError name; 0 without any. */
export const retryAfterMs = (thrown: unknown): number => Math.max(
  (thrown as { retryAfterMs?: number } | undefined)?.retryAfterMs ?? 0,
  ...errorsOf(thrown).map(({ extensions }) => extensions?.retryAfterMs ?? 0),
);

/** The status of the API's response that the first error about an API is about. */
export const upstreamStatus = (thrown: unknown): number | undefined =>
  errorsOf(thrown).find(({ extensions }) => extensions?.upstreamStatus)?.extensions?.upstreamStatus;

/** A response, parts of which may be missing. */
export interface Parts<Data> {
  /** The available data. */
  data: Data;
  /** The code of the first error of each field of the operation that is missing, or in which something is missing. */
  problems: Partial<Record<keyof Data & string, ErrorCode>>;
}

/**
 * The parts of a response of an operation whose fields may fail independently. It throws only if there is no data at
 * all.
 *
 * @param result the result of Apollo Client with `errorPolicy: 'all'` or of urql, the `response` of graphql-request's
 *   ClientError, or a response
 */
export function partsOf<Data>(
  result: { data?: Data | null | undefined; error?: unknown; errors?: unknown },
): Parts<Data> {
  const { data, error, errors = error } = result;
  const found = errorsOf(errors);
  if (data == null) throw found.length > 0 || !error ? new GatewayError(found) : error;
  const problems: Partial<Record<string, ErrorCode>> = {};
  for (const each of found) problems[String(each.path?.[0])] ??= codeOf(each) ?? 'INTERNAL';
  return { data, problems: problems as Parts<Data>['problems'] };
}
