// A fetch for every client that accepts one. It adds the token, and renews it once if it is refused.

/**
 * @param {() => Promise<string>} renew returns a new token, for example with the refresh token
 * @param {typeof fetch} send
 * @returns {typeof fetch}
 */
export function withToken(renew, send = fetch) {
  let token; // a promise, so that requests at the same time renew it only once

  function current() {
    if (!token) {
      const renewing = renew();
      token = renewing;
      renewing.catch(() => { if (token === renewing) token = undefined; });
    }
    return token;
  }

  return async (url, init = {}) => {
    const sendWith = async (promised) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${await promised}`);
      return send(url, { ...init, headers });
    };
    const used = current();
    const response = await sendWith(used);
    if (!(await isRefused(response))) return response;
    if (token === used) token = undefined; // otherwise another request has renewed it
    return sendWith(current());
  };
}

// The gateway refuses a token with 401. An API can refuse a token that the gateway has accepted, such as one that was
// revoked: then the status is 200, because the rest of the response may be there.
async function isRefused(response) {
  if (response.status === 401) return true;
  if (!response.headers.get('content-type')?.includes('json')) return false; // a stream: the next one renews the token
  const body = await response.clone().json().catch(() => null);
  return (body?.errors ?? []).some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED');
}
