// Vite for a demo application: `npm run demo apollo` serves it, in front of a gateway over its sandbox that accepts
// pages of the server's origin (`make run ARGS=--cors-origins=http://127.0.0.1:5173`).

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import relay from 'vite-plugin-relay';

const { VITE_GATEWAY = 'http://127.0.0.1:8080' } = process.env;

export default defineConfig(({ mode }) => ({
  root: fileURLToPath(new URL(`${mode}/`, import.meta.url)), // the name of the client
  base: './',
  logLevel: 'warn',
  plugins: mode === 'relay' ? [relay.default ?? relay] : [],
  server: { host: '127.0.0.1', proxy: { '/token': { target: VITE_GATEWAY, rewrite: () => '/sandbox/token' } } },
}));
