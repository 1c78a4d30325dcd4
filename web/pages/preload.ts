import type { Plugin } from "vite";

/** Makes the page load the editor while its own script still runs, which would request the editor later. */
export function preloadEditor(): Plugin {
  return {
    name: "preload-editor",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle, path }) {
        if (path !== "/index.html") return;
        return Object.values(bundle ?? {})
          .filter((file) => file.type === "chunk" && file.name === "monaco-editor")
          .map((file) => ({
            tag: "link",
            attrs: { rel: "modulepreload", crossorigin: true, href: "./" + file.fileName },
            injectTo: "head",
          }));
      },
    },
  };
}
