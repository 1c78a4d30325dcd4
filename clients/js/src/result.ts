// What the gateway responds to an operation, and to a subscription as each of its events.

import type { ErrorCode } from './schema.js';

/** `fetch`, or a function that wraps it. */
export type Fetch = typeof globalThis.fetch;

/** An operation, as the body of a POST has it: the text of a document, or the id of a trusted one. */
export interface Operation<Data = unknown, Variables = Record<string, unknown>> {
  query?: Document<Data, Variables>;
  documentId?: string;
  operationName?: string;
  variables?: Variables;
  extensions?: Record<string, unknown>;
}

/**
 * The text of a document: a string, or what graphql-codegen generates with `documentMode: 'string'`, which has types.
 */
export type Document<Data = unknown, Variables = Record<string, unknown>> =
  Pick<string, 'toString' | 'trim'> & { __apiType?: (variables: Variables) => Data };

/** A whole response, or an event of a subscription. */
export interface Result<Data = unknown> {
  data?: Data | null;
  errors?: readonly FormattedError[];
  extensions?: Extensions;
}

/** The extensions of a response. Events have `live`. */
export interface Extensions {
  live?: Live;
  [name: string]: unknown;
}

/** What an event says about the subscription: in its extensions, and in the field `live` of its data. */
export interface Live {
  /** Why the event was sent. */
  reason: Reason;
  /** When the gateway read the record, by its own clock. */
  observedAt: string;
  /** Milliseconds until the next read; null if this stream makes none. */
  nextPollMs: number | null;
  /** Whether the event is the last one of the subscription. */
  final: boolean;
}

/** Why an event was sent. docs/live.md says what each means. */
export type Reason = 'SNAPSHOT' | 'CHANGED' | 'REACHED' | 'STALE' | 'RECOVERED' | 'FAILED';

/** An entry of `errors`. */
export interface FormattedError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: ErrorExtensions;
}

/** The extensions of an error. docs/errors.md says when each is there. */
export interface ErrorExtensions {
  /** New values may be added: `codeOf` returns INTERNAL for them. */
  readonly code?: ErrorCode;
  /** Whether the same request may succeed later. */
  readonly retryable?: boolean;
  /** The id of the request in the log of the gateway. */
  readonly requestId?: string;
  /** The API that failed: `core` or `dispatcher`. */
  readonly service?: string;
  /** The status of the API's response. */
  readonly upstreamStatus?: number;
  /** How long to wait before a retry. */
  readonly retryAfterMs?: number;
  readonly [name: string]: unknown;
}
