// The configuration of graphql-codegen, and the code that runs it. A front end has the configuration in its codegen.ts and
// runs it with `npx graphql-codegen`; that program is not used here, because its dependencies need Node 22.

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codegen } from '@graphql-codegen/core';
import { preset } from '@graphql-codegen/client-preset';
import { lexicographicSortSchema, parse, printSchema } from 'graphql';

const operations = fileURLToPath(new URL('operations/', import.meta.url));

/** The TypeScript types of the gateway's scalars. */
export const config = {
  strictScalars: true, // a scalar that is not listed here is an error, not `any`
  scalars: {
    // Exact up to 9007199254740991 cents, ninety trillion reais. For larger amounts, parse the response yourself.
    Cents: 'number',
    // Also a number. A double may lose its last digits: display it, but do not add it up.
    Decimal: 'number',
    // Strings as the API sent them.
    DateTime: 'string',
    URL: 'string',
    ID: 'string', // also as input: a number would be accepted, but no id is one
    // Any JSON: check the type before use.
    JSON: 'unknown',
  },
  useTypeImports: true,
  importExtension: '.js',
};

/** The options of the preset. */
export const presetConfig = {
  fragmentMasking: { unmaskFunctionName: 'readFragment' }, // a component can read only the fields of its own fragment
  persistedDocuments: true, // writes persisted-documents.json, a manifest for the gateway
};

/**
 * The files of operations/gql for a schema, by name.
 *
 * @param {import('graphql').GraphQLSchema} schema
 * @returns {Promise<Map<string, string>>}
 */
export async function generate(schema) {
  const sorted = lexicographicSortSchema(schema); // like graphql-codegen, so that the order of types has no effect
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

/** Writes the files from `generate` to operations/gql. */
export async function write(files) {
  await rm(`${operations}gql`, { recursive: true, force: true });
  await mkdir(`${operations}gql`);
  await Promise.all([...files].map(([name, text]) => writeFile(`${operations}gql/${name}`, text)));
}
