import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { test } from "node:test";

type Graph = Map<string, Set<string>>;

/** What the files of src import, also those of which they import only types. */
function importsOf(directory: string): Graph {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file)).map((file) => posix.join(directory, file));
  return new Map(files.map((file) => {
    const imports = readFileSync(file, "utf8").matchAll(/\b(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g);
    return [file, new Set([...imports].map(([, path = ""]) => posix.join(posix.dirname(file), path)))];
  }));
}

/** The same of their folders. */
function folders(files: Graph): Graph {
  const graph: Graph = new Map();
  for (const [file, imports] of files) {
    const from = posix.dirname(file);
    const of = graph.get(from) ?? new Set();
    for (const to of [...imports].map(posix.dirname)) if (to !== from) of.add(to);
    graph.set(from, of);
  }
  return graph;
}

/** Fails if something imports itself by way of others. */
function checkCircles(graph: Graph): void {
  const done = new Set<string>();
  const visit = (at: string, path: string[]) => {
    assert.ok(!path.includes(at), `a circle of imports: ${[...path.slice(path.indexOf(at)), at].join(" -> ")}`);
    if (done.has(at)) return;
    for (const imported of graph.get(at) ?? []) visit(imported, [...path, at]);
    done.add(at);
  };
  for (const at of graph.keys()) visit(at, []);
}

test("neither a file nor a folder of src imports itself by way of others", () => {
  const files = importsOf("src");
  assert.ok(files.get("src/explorer/field.tsx")?.has("src/explorer/defaults.ts"), "the sources are not read");
  checkCircles(files);
  checkCircles(folders(files));
});
