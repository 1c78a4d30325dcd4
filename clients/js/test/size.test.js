// What an application that uses the package has to load.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const { exports, peerDependencies, dependencies } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
const entries = Object.keys(exports);
const limit = 10 * 1024;

/** The minified bundle of a module, without the clients that it is for, and the names of our modules in it. */
async function bundle(code) {
  const output = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: true,
      modulePreload: false,
      rollupOptions: {
        input: 'entry',
        external: (id) => Object.keys(peerDependencies).some((name) => id === name || id.startsWith(`${name}/`)),
        preserveEntrySignatures: 'strict',
      },
    },
    plugins: [{
      name: 'entry',
      resolveId: (id) => (id === 'entry' ? `${import.meta.dirname ?? new URL('.', import.meta.url).pathname}/entry.js` : undefined),
      load: (id) => (id.endsWith('/entry.js') ? code : undefined),
    }],
  });
  const [{ code: text, modules }] = output.output;
  const names = Object.entries(modules).filter(([, { renderedLength }]) => renderedLength > 0).map(([id]) => /dist\/(.*)\.js$/.exec(id)?.[1]);
  return { text, size: gzipSync(text, { level: 9 }).length, names: names.filter(Boolean).sort() };
}

const nameOf = (entry) => `pixgraph-client${entry.slice(1)}`;

describe('a bundle', () => {
  test(`of all entries has at most ${limit} bytes, minified and compressed`, async (t) => {
    const { size, text } = await bundle(entries.map((entry, i) => `export * as e${i} from '${nameOf(entry)}';`).join('\n'));
    t.diagnostic(`${size} bytes, ${text.length} before compression`);
    assert.ok(size > 1000 && size <= limit, `${size} bytes`);
  });

  const modulesOf = {
    '.': ['body', 'delay', 'errors', 'events', 'files', 'http', 'idle', 'record', 'renewal', 'resume', 'token'],
    './apollo': ['apollo', 'delay', 'errors', 'http', 'record', 'resume'],
    './errors': ['errors', 'schema'],
    './graphcache': ['graphcache', 'schema'],
    './money': ['money'],
    './relay': ['delay', 'errors', 'events', 'http', 'record', 'relay', 'resume'],
    './sse': ['delay', 'errors', 'http', 'record', 'resume', 'sse', 'subscriptions'],
    './urql': ['urql'],
    './wait': ['delay', 'errors', 'http', 'record', 'wait'],
    './ws': ['delay', 'errors', 'http', 'record', 'renewal', 'resume', 'subscriptions', 'ws'],
  };
  for (const entry of entries) {
    test(`of ${nameOf(entry)} has only its modules`, async () => {
      assert.deepEqual((await bundle(`export * from '${nameOf(entry)}';`)).names, modulesOf[entry]);
    });
  }

  for (const [name, module, words] of [
    ['one function', `export { formatBRL } from 'pixgraph-client/money';`, /AmountError|CENTAVOS/],
    ['the link of Apollo Client', `export { resumingLink } from 'pixgraph-client/apollo';`, /persisted|typePolicies|WeakMap/],
    ['the code of an error', `export { partsOf } from 'pixgraph-client/errors';`, /AccountHolder/],
    ['nothing', entries.map((entry) => `import '${nameOf(entry)}';`).join('\n'), /./],
  ]) {
    test(`of ${name} has nothing else`, async () => {
      const { text } = await bundle(module);
      assert.doesNotMatch(text.replace(/import[^;]*;|export\{[^}]*\};?/g, '').trim(), words);
    });
  }
});

test('React Native lacks nothing that the package uses outside of streams', async () => {
  const { text } = await bundle(entries.map((entry, i) => `export * as e${i} from '${nameOf(entry)}';`).join('\n'));
  assert.doesNotMatch(text, /AbortSignal|DOMException|TransformStream|DecoderStream|structuredClone|withResolvers|groupBy|process\.|Buffer|Intl/);
  const waiting = await bundle("export * from 'pixgraph-client/wait';");
  assert.doesNotMatch(waiting.text, /Stream|TextDecoder|Headers|Request|\.body\b/);
});

test('the package has no dependencies', () => {
  assert.equal(dependencies, undefined);
});
