import { defineConfig } from "vite";
import { compressAssets } from "./compress.ts";
import { preloadEditor } from "./preload.ts";

export default defineConfig({
  base: "./", // the page works under any path
  plugins: [preloadEditor(), compressAssets()],
  build: {
    outDir: "../dist/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // Monaco alone is larger than Vite's limit for a chunk; what is transferred is printed by the plugin.
    chunkSizeWarningLimit: 8192,
    reportCompressedSize: false,
    rolldownOptions: {
      input: ["index.html", "signed-in.html"],
      // "use client" means something to frameworks that render on a server; here there is none.
      onLog(level, log, report) {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log);
      },
    },
  },
  worker: { format: "es" },
});
