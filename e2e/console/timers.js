// The long timers of a page, such as the one that renews a token shortly before its end: a test ends them when it likes,
// instead of waiting. (Playwright's own clock replaces performance as well, which Monaco does not survive.)

/** Holds back the timers of this context's pages that no test waits for. Await it before the first page is opened. */
export async function holdLongTimers(context) {
  await context.addInitScript(() => {
    const begin = globalThis.setTimeout;
    const held = [];
    globalThis.setTimeout = (act, delay = 0, ...values) => {
      if (delay < 20_000) return begin(act, delay, ...values);
      held.push(() => act(...values));
      return 0; // of no timer
    };
    globalThis.endLongTimers = () => held.splice(0).forEach((act) => act());
  });
}

/** Ends the timers that were held back in a page, as if their time had come. */
export async function endLongTimers(page) {
  await page.evaluate(() => globalThis.endLongTimers());
}
