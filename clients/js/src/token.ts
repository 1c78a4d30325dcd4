// A fetch for every client that accepts one: it adds the caller's token, and renews it when it is refused.

import { readThrough } from './body.js';
import { abortable } from './delay.js';
import { errorsOf } from './errors.js';
import { isStream } from './http.js';
import { renewed } from './renewal.js';
import type { Fetch } from './result.js';

/**
 * Returns a `fetch` that sends the token of the caller. If the token is refused, it renews the token and sends the
 * request once more; requests at the same time renew it only once. If the new one is refused too, it is kept for half a
 * minute, and responses are returned as they are. A token that is refused while a stream is open is renewed by the next
 * request.
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

  const renewals = new Map<string, number>(); // their times, by what refused the token: the gateway, an API, a stream

  /** Discards a token, unless another request has renewed it. Reports whether a request with the new one may succeed. */
  function discard(used: Promise<string>, refusers: readonly string[]): boolean {
    if (token !== used) return true;
    const now = Date.now();
    if (refusers.every((refuser) => now - renewals.get(refuser)! < patience)) return false;
    for (const refuser of refusers) renewals.set(refuser, now);
    token = undefined;
    return true;
  }

  return async (input, init = {}) => {
    async function sendWith(promised: Promise<string>): Promise<Response> {
      const request = input instanceof Request ? input.clone() : input; // its body can be read once
      const given = request instanceof Request ? request : undefined;
      const headers = new Headers(init.headers ?? given?.headers);
      headers.set('authorization', `Bearer ${await abortable(promised, init.signal ?? given?.signal)}`);
      return send(request, { ...init, headers });
    }
    for (let again = false; ; again = true) {
      const used = current();
      const response = await sendWith(used);
      if (response.status !== 401) renewals.delete(gateway); // it has accepted a token, which may expire soon
      if (isStream(response)) return discardIfRefused(response, () => discard(used, ['stream']));
      const refusers = again ? [] : await refusersOf(response);
      if (refusers.length === 0 || !discard(used, refusers)) return response;
    }
  };
}

/** The milliseconds for which a token is kept although it is refused, because a new one was refused for the same reason. */
const patience = 30_000;

const unauthenticated = '"UNAUTHENTICATED"';

const gateway = 'gateway';

/**
 * What has refused the token of a response. The gateway refuses a token with 401. An API can refuse a token that the
 * gateway has accepted, such as one that was revoked: then the status is 200, because the rest of the response may be
 * there.
 */
async function refusersOf(response: Response): Promise<readonly string[]> {
  if (response.status === 401) return [gateway];
  const type = response.headers.get('content-type') ?? '';
  if (!/^application\/(graphql-response\+)?json/.test(type)) return []; // such as a download
  try {
    const text = await response.clone().text();
    if (!text.includes(unauthenticated)) return [];
    return errorsOf(JSON.parse(text)).filter(({ extensions }) => extensions?.code === 'UNAUTHENTICATED')
      .map(({ extensions }) => String(extensions!.service));
  } catch {
    return []; // the client cannot read it either
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
