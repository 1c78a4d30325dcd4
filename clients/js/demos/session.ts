// What the demo applications share: where the gateway is, and the session of the user.

import { withIdleTimeout, withToken } from 'pixgraph-client';

declare global {
  interface ImportMeta { readonly env: { readonly VITE_GATEWAY?: string } }
}

/** The URL of GraphQL. */
export const url = `${import.meta.env.VITE_GATEWAY ?? 'http://127.0.0.1:8080'}/graphql`;

/** A new token. A real application asks its own server, which has the session of the user; so does this one. */
async function renew(): Promise<string> {
  const response = await fetch('token');
  if (!response.ok) throw new Error('signed out');
  return (await response.text()).trim();
}

/** The fetch of every client. */
export const send = withToken(renew, withIdleTimeout());

/** The statuses after which a payment page waits no more. */
export const until = ['PAID', 'FAILED', 'REFUNDED'] as const;
