import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Above these qualities, an eighth less takes fifty times as long. */
const quick = { brotli: 5, gzip: 5 };
/** What a release has. Its tool looks for this level in the header of each .gz. */
const smallest = { brotli: constants.BROTLI_MAX_QUALITY, gzip: constants.Z_BEST_COMPRESSION };

/**
 * Replaces each asset by .br and .gz files, so that the binary embeds no uncompressed copy. The server decompresses the
 * .gz for a client that accepts neither coding, which is rare.
 */
export function compressAssets(release: boolean): Plugin {
  const quality = release ? smallest : quick;
  let outDir = "";
  return {
    name: "compress-assets",
    apply: "build",
    configResolved(config) {
      outDir = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      const assets = join(outDir, "assets");
      const sizes = await Promise.all((await readdir(assets)).map(async (name) => {
        const path = join(assets, name);
        const body = await readFile(path);
        const [br, gz] = await Promise.all([
          brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality.brotli } }),
          gzipped(body, { level: quality.gzip }),
        ]);
        await Promise.all([writeFile(path + ".br", br), writeFile(path + ".gz", gz), rm(path)]);
        return [body.length, br.length] as const;
      }));
      const [raw, packed] = sizes.reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
      console.log(`assets: ${raw} bytes, ${packed} with brotli`);
    },
  };
}
