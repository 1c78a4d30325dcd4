// Vite's dev server in front of a gateway: the page uses /graphql of its own origin, so that no CORS is needed.

import { defineConfig } from 'vite';

const gateway = process.env.GATEWAY ?? 'http://127.0.0.1:8080';

export default defineConfig({
  server: {
    proxy: { '/graphql': gateway },
  },
});
