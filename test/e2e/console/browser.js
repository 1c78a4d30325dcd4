// The browser of the console's tests: Debian's Chromium, without network access beyond loopback.

import assert from 'node:assert/strict';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

// Background requests of the browser would show as failed requests. Requests of a page to other hosts must not resolve.
const flags = [
  '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  // A page lives for seconds, in which optimizing compilers cost more than they save; with stack traces, which playwright-core
  // wants of each message, V8 would compile functions twice.
  '--js-flags=--no-opt --no-maglev --no-enable-lazy-source-positions',
  '--disable-lcd-text', // no subpixel antialiasing: screenshots are smaller, and the same on every machine
];

// Much longer than the start takes on a busy machine.
const startTimeout = 180_000;

/** Starts a browser with a new profile; the caller closes it. */
export function launchBrowser() {
  return chromium.launch({ executablePath: findChromium(), args: flags, timeout: startTimeout });
}

/** CHROMIUM, or one in PATH: the headless shell has no window to draw, and needs a quarter less processor time. */
function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const directories = (process.env.PATH ?? '').split(delimiter);
  const found = ['chromium-headless-shell', 'chromium'].flatMap((name) => directories.map((each) => join(each, name))).find(isExecutable);
  assert.ok(found, 'Chromium is not installed: run test/install chromium, or set CHROMIUM');
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
