import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/**
 * Replaces each asset by .br and .gz files, so that the binary embeds no uncompressed copy. The server decompresses the
 * .gz for a client that accepts neither coding, which is rare.
 */
export function compressAssets(): Plugin {
  let outDir = "";
  return {
    name: "compress-assets",
    apply: "build",
    configResolved(config) {
      outDir = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      const assets = join(outDir, "assets");
      let raw = 0;
      let packed = 0;
      for (const name of await readdir(assets)) {
        const path = join(assets, name);
        const body = await readFile(path);
        const [br, gz] = await Promise.all([
          brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
          gzipped(body, { level: constants.Z_BEST_COMPRESSION }),
        ]);
        await Promise.all([writeFile(path + ".br", br), writeFile(path + ".gz", gz)]);
        await rm(path);
        raw += body.length;
        packed += br.length;
      }
      console.log(`assets: ${raw} bytes, ${packed} with brotli`);
    },
  };
}
