// Operations over HTTP, with nothing but `fetch`.

import { errorsOf, headerMs } from './errors.js';
import type { Fetch, Result } from './result.js';

/** A response that is not the gateway's: that of a proxy in front of it, or of another server. */
export class ResponseError extends Error {
  override name = 'ResponseError';
  /** The status of the response. */
  readonly status: number;
  /** The milliseconds of its `Retry-After`, or 0. */
  readonly retryAfterMs: number;

  constructor({ status, headers }: Response, cause?: unknown) {
    super(`the response with the status ${status} is not that of a gateway`, { cause });
    this.status = status;
    this.retryAfterMs = headerMs(headers);
  }
}

/** An operation, whatever the types of its data and variables. */
export interface Body {
  query?: { toString(): string };
  documentId?: string;
  variables?: unknown;
}

/** The text of an operation. It throws a TypeError for a BigInt: not in a `try` that takes one for a lost connection. */
export const textOf = (operation: Body): string => JSON.stringify({ ...operation, query: operation.query?.toString() });

/** Sends the text of an operation. */
export function post(send: Fetch, url: string, body: string, accept: string, signal?: AbortSignal): Promise<Response> {
  return send(url, {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json' },
    body,
    ...(signal && { signal }),
  });
}

/** The type of a response that has a result. */
export const json = 'application/graphql-response+json, application/json';

/** Reads the result in a response that is not a stream. */
export async function resultOf<Data>(response: Response): Promise<Result<Data>> {
  const result = read<Data>(response, await response.text());
  // The errors of a router or proxy do not say whether to retry, but the status does.
  const isOurs = errorsOf(result).some(({ extensions }) => extensions?.retryable !== undefined);
  if (isTransientStatus(response.status) && !isOurs) throw new ResponseError(response);
  return result;
}

/** Reads a result, or an event of a stream, in the text of a response. */
export function read<Data>(
  response: Response, text: string, parse: (text: string) => unknown = JSON.parse,
): Result<Data> {
  let cause: unknown;
  try {
    const result = parse(text) as Result<Data> | null;
    if (result?.data !== undefined || Array.isArray(result?.errors)) return result!;
  } catch (error) {
    if (parse !== JSON.parse) cause = error; // that of JSON.parse would quote the response, such as a page of HTML
  }
  throw new ResponseError(response, cause);
}

/** Whether an error is temporary: the gateway says so, or a router has lost the gateway, whose errors do not say. */
export const isTemporary = (result: Result): boolean => errorsOf(result).some(({ extensions }) =>
  extensions?.retryable ?? ['INTERNAL_SERVER_ERROR', 'SUBREQUEST_HTTP_ERROR'].includes(extensions?.code as string));

/**
 * Whether a request that failed may succeed later. `fetch` throws a TypeError when the connection is lost, and also for
 * an invalid URL, which only Node marks with a code.
 */
export function isTransient(error: unknown): boolean {
  const { cause, status, statusCode = status } = (error ?? {}) as Failure;
  if ((cause as { code?: string } | undefined)?.code === 'ERR_INVALID_URL') return false;
  if (statusCode !== undefined) return isTransientStatus(statusCode);
  return error instanceof TypeError || cause instanceof TypeError;
}

interface Failure {
  cause?: unknown; // of TokenError
  status?: number; // of ResponseError
  statusCode?: number; // of Apollo's ServerError
}

const isTransientStatus = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status);

/** Whether the body of a response is a stream of events. */
export const isStream = ({ body, headers }: Response): boolean =>
  body != null && /event-stream|multipart\/mixed/.test(headers.get('content-type') ?? '');
