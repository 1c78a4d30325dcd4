// The configuration of graphql-codegen, and the few lines that run it. A front end has the configuration in its codegen.ts
// and runs it by `npx graphql-codegen`; that program is not used here, because its dependencies need Node 22.

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codegen } from '@graphql-codegen/core';
import { preset } from '@graphql-codegen/client-preset';
import { lexicographicSortSchema, parse, printSchema } from 'graphql';

const operations = fileURLToPath(new URL('operations/', import.meta.url));

/** How the gateway's types come out in TypeScript. */
export const config = {
  strictScalars: true, // a scalar that is not below is an error, not `any`
  scalars: {
    // Exact up to 9007199254740991 cents, ninety trillion reais. Parse the answer yourself for more.
    Cents: 'number',
    // A number too. Its last digits may be lost in a double: display it, and do not sum it up.
    Decimal: 'number',
    // Texts as the API sent them.
    DateTime: 'string',
    URL: 'string',
    ID: 'string', // as input too: a number would be sent, but no id is one
    // Anything: look before you use it.
    JSON: 'unknown',
  },
  useTypeImports: true,
  importExtension: '.js',
};

/** What is the preset's own. */
export const presetConfig = {
  fragmentMasking: { unmaskFunctionName: 'readFragment' }, // a component gets the fields of its own fragment, and no others
  persistedDocuments: true, // writes persisted-documents.json, a manifest for the gateway
};

/**
 * The files of operations/gql for a schema, by name.
 *
 * @param {import('graphql').GraphQLSchema} schema
 * @returns {Promise<Map<string, string>>}
 */
export async function generate(schema) {
  const sorted = lexicographicSortSchema(schema); // as graphql-codegen does, so that the order of types changes nothing
  const sections = await preset.buildGeneratesSection({
    baseOutputDir: 'operations/gql/',
    schema: parse(printSchema(sorted)),
    schemaAst: sorted,
    documents: await documents(),
    config,
    presetConfig,
    plugins: [],
    pluginMap: {},
  });
  const files = new Map();
  for (const section of sections) files.set(basename(section.filename), await codegen(section));
  return files;
}

/** The documents of the front end. */
async function documents() {
  const names = (await readdir(operations)).filter((name) => name.endsWith('.graphql')).sort();
  return Promise.all(names.map(async (name) => {
    const rawSDL = await readFile(operations + name, 'utf8');
    return { location: `operations/${name}`, rawSDL, document: parse(rawSDL) };
  }));
}

/** Writes what `generate` gave to operations/gql. */
export async function write(files) {
  await rm(`${operations}gql`, { recursive: true, force: true });
  await mkdir(`${operations}gql`);
  await Promise.all([...files].map(([name, text]) => writeFile(`${operations}gql/${name}`, text)));
}
