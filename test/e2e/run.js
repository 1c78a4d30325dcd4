// Runs the command-line programs of this project's dependencies, as `npx` does.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Runs a program in this directory. If it fails, its output is the error.
 *
 * @param {string} program such as 'tsc'
 * @param {string[]} args
 * @param {Record<string, string>} variables of its environment
 */
export function run(program, args, variables = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath, [fileURLToPath(new URL(`node_modules/.bin/${program}`, import.meta.url)), ...args],
    { cwd: fileURLToPath(new URL('.', import.meta.url)), encoding: 'utf8', env: { PATH: process.env.PATH, ...variables } },
  );
  assert.equal(status, 0, `${program} ${args.join(' ')}:\n${stdout}${stderr}`);
}
