import { defineConfig } from "vite";
import { compressAssets } from "./compress.ts";
import { inFrontOf } from "./gateway.ts";
import { preloadEditor } from "./preload.ts";

// The mode "release" compresses more; the assets are the same.
export default defineConfig(({ mode }) => ({
  base: "./", // the page works under any path
  plugins: [preloadEditor(), compressAssets(mode === "release"), inFrontOf(process.env["GATEWAY"] ?? "http://127.0.0.1:8080")],
  build: {
    outDir: "../dist/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // Monaco alone is larger than Vite's limit for a chunk; the plugin prints the compressed size.
    chunkSizeWarningLimit: 8192,
    reportCompressedSize: false,
    rolldownOptions: {
      input: ["index.html", "payments.html", "signed-in.html"],
      // "use client" is for frameworks with server-side rendering, which is not used here.
      onLog(level, log, report) {
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log);
      },
    },
  },
  worker: { format: "es" },
}));
