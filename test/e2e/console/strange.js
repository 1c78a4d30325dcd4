// An API that keeps to the contract where it must and is strange where it may, or does not: ids of deposits that no transaction
// has, lists without total and totalPages, slow responses. It is a proxy in front of the sandbox's core API.

import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Starts it on a free port of loopback.
 *
 * @param {string} core the URL of the sandbox's core API
 * @returns {Promise<{ url: string, held: Promise<void> | null, edit: Function, close: () => Promise<void> }>} url is that of the
 *   API; responses wait for `held`; `edit` changes the body of each
 */
export async function startStrange(core) {
  const strange = { held: null, edit: () => {} };
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch(() => outgoing.writeHead(502).end());
  });
  const respond = async ({ url, headers: { authorization } }, outgoing) => {
    const answer = await fetch(core + url, { headers: { authorization } });
    const body = await answer.json();
    if (url.startsWith('/deposit?') || url === '/deposit') body.data?.forEach((deposit) => { deposit.id = otherId(deposit.id); });
    strange.edit(body);
    if (body.data) delete body.total, delete body.totalPages;
    await strange.held;
    outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  strange.url = `http://127.0.0.1:${server.address().port}`;
  strange.close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return strange;
}

/** The id of a deposit as this API has it: another UUID, and the same for the same id. */
export function otherId(id) {
  return id.replace(/^./, (digit) => (Number.parseInt(digit, 16) ^ 8).toString(16));
}
