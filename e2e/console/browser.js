// The browser of the console's tests: Debian's Chromium, without a network beyond loopback.

import assert from 'node:assert/strict';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

// What a browser does by itself would end as failed requests; what a page asks for elsewhere must not find anything.
const quiet = [
  '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--disable-lcd-text', // letters without coloured edges: pictures are smaller, and the same on every machine
];

// Far beyond what its start takes on a busy machine.
const startTimeout = 180_000;

/** Starts a browser with a profile of its own; whoever starts it closes it. */
export function launchBrowser() {
  return chromium.launch({ executablePath: findChromium(), args: quiet, timeout: startTimeout });
}

/** CHROMIUM, or the one in PATH. A machine without one fails: a test that does not run has shown nothing. */
function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const found = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, 'chromium')).find(isExecutable);
  assert.ok(found, 'there is no chromium: run e2e/console/install-chromium, or name one in CHROMIUM');
  return found;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
