// A reverse proxy that serves a gateway under a path, as an operator may: /pix/graphql is the gateway's /graphql.

import { once } from 'node:events';
import { createServer, request } from 'node:http';

/**
 * Starts a proxy on a free port of loopback.
 *
 * @param {string} base such as /pix/
 * @param {string} gateway the gateway's origin
 * @returns {Promise<{ url: string, gateway: string, strays: string[], respond: Function | null, cut: () => void,
 *   close: () => Promise<void> }>} gateway may be set to another one; strays are the requested paths outside the base;
 *   respond, if it is set, is called with a response instead of the gateway, other than for assets, which a browser may still be
 *   loading; cut ends all connections
 */
export async function startProxy(base, gateway) {
  const proxy = { gateway, strays: [], respond: null };
  const server = createServer((incoming, outgoing) => {
    if (!incoming.url.startsWith(base)) {
      proxy.strays.push(incoming.url);
      outgoing.writeHead(404).end();
      return;
    }
    const { respond } = proxy;
    if (respond !== null && !incoming.url.includes('/assets/')) {
      // The request is read first: a connection that ends with unread bytes is reset, which is another error.
      incoming.resume().on('end', () => respond(outgoing));
      return;
    }
    const forward = request(new URL(`/${incoming.url.slice(base.length)}`, proxy.gateway), {
      method: incoming.method,
      headers: incoming.headers,
      setHost: false, // keep the client's Host header: the gateway compares it with Origin
    });
    forward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
      answer.on('close', () => answer.complete || outgoing.destroy()); // the gateway ended a stream
    });
    forward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forward.destroy()); // a stream ends with its client
    incoming.pipe(forward);
  });
  server.unref(); // a test that fails may not close it
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${server.address().port}${base}`,
    cut: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}
