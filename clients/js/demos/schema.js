// Writes the schema for the compiler of Relay, and runs the compiler.

import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { printSchema } from 'graphql';
import { readSchema } from '../generate.js';

await writeFile(new URL('relay/schema.graphql', import.meta.url), printSchema(await readSchema()));
const compiler = fileURLToPath(new URL('../node_modules/.bin/relay-compiler', import.meta.url));
const cwd = fileURLToPath(new URL('.', import.meta.url));
const { status } = spawnSync(compiler, ['--noWatchman', 'relay.config.json'], { cwd, stdio: 'inherit' });
process.exitCode = status ?? 1;
