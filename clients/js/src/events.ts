// The events of a subscription with nothing but `fetch`.

import { abortable, reasonOf, sleep } from './delay.js';
import { isStream, isTransient, post, read, resultOf, textOf } from './http.js';
import type { Fetch, Operation, Result } from './result.js';
import { Resumption } from './resume.js';

/** How `events` connects. */
export interface EventsOptions {
  /** Such as `withToken(renew, withIdleTimeout())`. */
  fetch?: Fetch | undefined;
  /** Ends the subscription: `events` throws its reason. */
  signal?: AbortSignal | undefined;
  /** Is called when the connection is lost or refused for now, with the error if there was one. */
  onRetry?: ((error?: unknown) => void) | undefined;
  /** Reads an event in place of `JSON.parse`, such as one that keeps all digits of numbers. */
  parse?: ((text: string) => unknown) | undefined;
}

/**
 * Yields the results of a subscription, also across lost connections and expired tokens, until the last one. A result
 * without `extensions.live` is that of a subscription that was rejected.
 */
export async function* events<Data = unknown, Variables = object>(
  url: string, operation: Operation<Data, Variables>, { fetch: send = fetch, signal, onRetry, parse = JSON.parse }: EventsOptions = {},
): AsyncGenerator<Result<Data>, void, undefined> {
  const resumption = new Resumption(operation.variables);
  for (;;) {
    const body = textOf({ ...operation, variables: resumption.variables });
    let lost: unknown;
    try {
      for await (const result of connect<Data>(send, url, body, parse, signal)) {
        const step = resumption.take(result);
        if (step === 'resubscribe') break;
        yield result;
        if (step === 'last') return;
      }
    } catch (error) {
      if (signal?.aborted) throw reasonOf(signal);
      if (!isTransient(error)) throw error;
      lost = error;
    }
    onRetry?.(lost);
    await sleep(resumption.pause(lost), signal);
  }
}

/** The results of one connection. */
async function* connect<Data>(
  send: Fetch, url: string, body: string, parse: (text: string) => unknown, signal?: AbortSignal,
): AsyncGenerator<Result<Data>> {
  const response = await abortable(post(send, url, body, 'text/event-stream, application/json', signal), signal);
  if (!isStream(response)) {
    yield await abortable(resultOf<Data>(response), signal);
    return;
  }
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  try {
    let text = '';
    let data = ''; // of the current message
    for (let cut = false; ;) {
      const { value, done } = await abortable(reader.read(), signal);
      if (done) return;
      const chunk = decoder.decode(value, { stream: true });
      const lines = (cut ? chunk.replace(/^\n/, '') : chunk).split(/\r\n|\n|\r/); // without `text`, which may be long
      if (chunk) cut = chunk.endsWith('\r'); // perhaps half of a line end
      lines[0] = text + lines[0];
      text = lines.pop()!;
      for (const line of lines) {
        if (line.startsWith('data:')) data += `${line.slice(line[5] === ' ' ? 6 : 5)}\n`;
        if (line !== '') continue;
        if (data.trim()) yield read(response, data, parse); // that of `complete` is empty
        data = '';
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
