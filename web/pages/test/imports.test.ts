import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { test } from "node:test";

/** The files that a file of src imports, also those of which it imports only types. */
function importsOf(file: string): string[] {
  const imports = readFileSync(file, "utf8").matchAll(/\b(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g);
  return [...imports].map(([, path]) => posix.join(posix.dirname(file), path ?? ""));
}

test("no file of src imports itself by way of others", () => {
  const done = new Set<string>();
  const visit = (file: string, path: string[]) => {
    assert.ok(!path.includes(file), `a circle of imports: ${[...path.slice(path.indexOf(file)), file].join(" -> ")}`);
    if (done.has(file)) return;
    for (const imported of importsOf(file)) visit(imported, [...path, file]);
    done.add(file);
  };
  for (const file of readdirSync("src", { recursive: true, encoding: "utf8" })) {
    if (/\.tsx?$/.test(file)) visit(posix.join("src", file), []);
  }
  assert.ok(done.has("src/live/stream.ts") && done.has("src/explorer/field.tsx"), "the sources are not read");
});
