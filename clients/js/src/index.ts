// Subscriptions, tokens and files with nothing but `fetch`, and what every client needs to reconnect after a lost connection.

export { delay } from './delay.js';
export { events, type EventsOptions } from './events.js';
export { type End, rowsOf } from './files.js';
export { ResponseError } from './http.js';
export { TokenError } from './renewal.js';
export type {
  Document, ErrorExtensions, Extensions, Fetch, FormattedError, Live, Operation, Reason, Result,
} from './result.js';
export { isLast, resumed } from './resume.js';
export { withIdleTimeout } from './idle.js';
export { withToken } from './token.js';
