// The events of a subscription with nothing but `fetch`, and what every client needs to come back after a lost connection.

/** Whether a result is the last one. Come back to a stream that ended without such a result. */
export function isLast({ errors = [], extensions }) {
  if (extensions?.live) return extensions.live.final;
  return !errors.some((error) => error.extensions?.retryable); // refused before the stream began
}

/** The variables to come back with: with the time of the last change as `since`, no status is missed. */
export function resumed(variables, { data }) {
  const [record] = Object.values(data ?? {});
  return record?.updatedAt ? { ...variables, since: record.updatedAt } : variables;
}

/** Milliseconds before a retry: at most 10 seconds, and random, so that not all clients come back at once. */
export const delay = (retries) => Math.min(10_000, 500 * 2 ** retries) * (0.5 + Math.random() / 2);

/** A `fetch` whose streams fail when they are silent, because the network was lost. A heartbeat arrives every 15 seconds. */
export const noticingSilence = (send = fetch, longest = 40_000) => async (url, init = {}) => {
  const control = new AbortController();
  const signal = init.signal ? AbortSignal.any([init.signal, control.signal]) : control.signal;
  const response = await send(url, { ...init, signal });
  let timer;
  const arrived = () => {
    clearTimeout(timer);
    timer = setTimeout(() => control.abort(new TypeError('the connection is silent')), longest);
  };
  arrived();
  const watched = new TransformStream({
    transform(chunk, to) {
      arrived();
      to.enqueue(chunk);
    },
    flush: () => clearTimeout(timer),
  });
  return new Response(response.body?.pipeThrough(watched, { signal: control.signal }), response);
};

/** Yields the results of a subscription, also across lost connections, until the last one. */
export async function* events(url, { query, variables }, { send = fetch, signal } = {}) {
  for (let retries = 0; ; retries++) {
    try {
      for await (const result of stream(url, { query, variables }, { send, signal })) {
        const last = isLast(result);
        if (!last && !result.extensions?.live) break; // refused for now, such as by a full gateway
        yield result;
        if (last) return;
        variables = resumed(variables, result);
        if (result.data) retries = 0;
      }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // fetch throws a TypeError when the connection is lost
    }
    await new Promise((resolve) => setTimeout(resolve, delay(retries)));
  }
}

async function* stream(url, request, { send, signal }) {
  const response = await send(url, {
    method: 'POST',
    headers: { accept: 'text/event-stream, application/json', 'content-type': 'application/json' },
    body: JSON.stringify(request),
    signal,
  });
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('json')) yield await response.json();
  if (!type.includes('event-stream')) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const messages = (text + value).split('\n\n');
      text = messages.pop();
      for (const message of messages) {
        const data = message.split('\n').filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
        if (data.length > 0) yield JSON.parse(data.join('\n'));
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
