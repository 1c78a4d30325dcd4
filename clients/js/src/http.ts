// Operations over HTTP, with nothing but `fetch`.

import { headerMs } from './errors.js';
import type { Fetch, Result } from './result.js';

/** A response that is not the gateway's: that of a proxy in front of it, or of another server. */
export class ResponseError extends Error {
  override name = 'ResponseError';
  /** The status of the response. */
  readonly status: number;
  /** The milliseconds of its `Retry-After`, or 0. */
  readonly retryAfterMs: number;

  constructor({ status, headers }: Response) {
    super(`the response with the status ${status} is not that of a gateway`);
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

/** Sends an operation. */
export function post(
  send: Fetch, url: string, operation: Body, accept: string, signal?: AbortSignal,
): Promise<Response> {
  return send(url, {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json' },
    body: JSON.stringify({ ...operation, query: operation.query?.toString() }),
    ...(signal && { signal }),
  });
}

/** The type of a response that has a result. */
export const json = 'application/graphql-response+json, application/json';

/** Reads the result in a response that is not a stream. */
export async function resultOf<Data>(response: Response): Promise<Result<Data>> {
  const text = await response.text();
  try {
    const result = JSON.parse(text) as Result<Data> | null;
    if (result?.data !== undefined || Array.isArray(result?.errors)) return result!;
  } catch {
    // A page of HTML.
  }
  throw new ResponseError(response);
}

/**
 * Whether a request that failed may succeed later. `fetch` throws a TypeError when the connection is lost, and also for
 * an invalid URL, which only Node marks with a code.
 */
export function isTransient(error: unknown): boolean {
  const { cause, status, statusCode = status } = (error ?? {}) as Failure;
  if ((cause as { code?: string } | undefined)?.code === 'ERR_INVALID_URL') return false;
  return error instanceof TypeError || cause instanceof TypeError || isTransientStatus(statusCode);
}

interface Failure {
  cause?: unknown; // of TokenError
  status?: number; // of ResponseError
  statusCode?: number; // of Apollo's ServerError
}

const isTransientStatus = (status = 0): boolean => status >= 500 || [408, 425, 429].includes(status);

/** Whether the body of a response is a stream of events. */
export const isStream = ({ body, headers }: Response): boolean =>
  body != null && /event-stream|multipart\/mixed/.test(headers.get('content-type') ?? '');
