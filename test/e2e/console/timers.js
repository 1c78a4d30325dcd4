// The long timers of a page, such as the one that renews a token shortly before it expires: a test triggers them instead
// of waiting. (Playwright's own clock also replaces performance, which breaks Monaco.)

/** Holds back the long timers of this context's pages. Await it before the first page is opened. */
export async function holdLongTimers(context) {
  await context.addInitScript(() => {
    const begin = globalThis.setTimeout;
    const held = [];
    globalThis.setTimeout = (act, delay = 0, ...values) => {
      if (delay < 20_000) return begin(act, delay, ...values);
      held.push(() => act(...values));
      return 0; // not the id of a timer
    };
    globalThis.endLongTimers = () => held.splice(0).forEach((act) => act());
  });
}

/** Triggers the timers of a page that were held back. */
export async function endLongTimers(page) {
  await page.evaluate(() => globalThis.endLongTimers());
}
