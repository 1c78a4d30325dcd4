// A fetch for every client that accepts one: it adds the caller's token, and renews it when it is refused.

import { readThrough } from './body.js';
import { abortable } from './delay.js';
import { isUnauthenticated } from './errors.js';
import { isStream } from './http.js';
import { renewed } from './renewal.js';
import type { Fetch } from './result.js';

/**
 * Returns a `fetch` that sends the token of the caller. If the token is refused, it renews the token and sends the
 * request once more; requests at the same time renew it only once. A token that is refused while a stream is open is
 * renewed by the next request.
 *
 * @param renew returns a new token, for example with the refresh token
 * @param send the `fetch` to use
 */
export function withToken(renew: () => Promise<string>, send: Fetch = fetch): Fetch {
  let token: Promise<string> | undefined;

  function current(): Promise<string> {
    if (!token) {
      const renewing = renewed(renew);
      token = renewing;
      renewing.catch(() => {
        if (token === renewing) token = undefined;
      });
    }
    return token;
  }

  return async (input, init = {}) => {
    async function sendWith(promised: Promise<string>): Promise<Response> {
      const request = input instanceof Request ? input.clone() : input; // its body can be read once
      const given = request instanceof Request ? request : undefined;
      const headers = new Headers(init.headers ?? given?.headers);
      headers.set('authorization', `Bearer ${await abortable(promised, init.signal ?? given?.signal)}`);
      return send(request, { ...init, headers });
    }
    const used = current();
    const discard = () => {
      if (token === used) token = undefined; // otherwise another request has renewed it
    };
    const response = await sendWith(used);
    if (isStream(response)) return discardIfRefused(response, discard);
    if (!(await isRefused(response))) return response;
    discard();
    return sendWith(current());
  };
}

const unauthenticated = '"UNAUTHENTICATED"';

/**
 * Whether a response is about its token. The gateway refuses a token with 401. An API can refuse a token that the
 * gateway has accepted, such as one that was revoked: then the status is 200, because the rest of the response may be
 * there.
 */
async function isRefused(response: Response): Promise<boolean> {
  if (response.status === 401) return true;
  const type = response.headers.get('content-type') ?? '';
  if (!/^application\/(graphql-response\+)?json/.test(type)) return false; // such as a download
  try {
    const text = await response.clone().text();
    return text.includes(unauthenticated) && isUnauthenticated(JSON.parse(text));
  } catch {
    return false; // the client cannot read it either
  }
}

/** Discards the token of a stream when an event says that it was refused. */
function discardIfRefused(response: Response, discard: () => void): Response {
  const decoder = new TextDecoder();
  let text = '';
  return readThrough(response, async (read) => {
    const chunk = await read();
    if (chunk.value) {
      text += decoder.decode(chunk.value, { stream: true });
      if (text.includes(`"code":${unauthenticated}`)) discard();
      text = text.slice(-24); // the code may be in two chunks
    }
    return chunk;
  });
}
