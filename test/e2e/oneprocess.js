// Runs all test files of a folder in one process: `node oneprocess.js FOLDER`. It is for tests without a gateway, which are
// done before `node --test` would have started a process for each file.

import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = resolve(process.argv[2]);
const names = (await readdir(folder)).filter((name) => name.endsWith('.test.js')).sort();
for (const name of names) await import(pathToFileURL(resolve(folder, name)));
