import type { Plugin } from "vite";

const config = /<script type="application\/json" id="console-config">.*?<\/script>/s;

/** During development, serves the page in front of a running gateway: its endpoints, and the configuration that it writes. */
export function inFrontOf(gateway: string): Plugin {
  return {
    name: "in-front-of-gateway",
    apply: "serve",
    config: () => ({ server: { proxy: { "/graphql": gateway, "/schema.graphql": gateway } } }),
    async transformIndexHtml(page) {
      const served = config.exec(await (await fetch(gateway)).text());
      if (!served) throw new Error(`${gateway} serves no GraphiQL`);
      return page.replace(config, () => served[0]);
    },
  };
}
