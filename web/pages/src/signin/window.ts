import { answerOf, SignInError } from "./answers.ts";
import type { Grant, Issuer } from "./issuer.ts";
import { newAttempt } from "./issuer.ts";

/** Long enough for a user to find a password. */
const answerWithin = 10 * 60_000;

/** How often the page looks whether the user has closed the window. */
const lookEvery = 500;

/**
 * Lets the user sign in at the issuer, in a window of its own, so that the page keeps its responses and unsent edits.
 * The window must be opened synchronously in the click handler, otherwise the browser blocks it as a pop-up. It closes
 * itself after the redirect from the issuer. This page can close it only before it shows the issuer, such as when the issuer
 * is down. onClosed is called when the window looks closed: that is no error, because an issuer may cut it off from this page.
 */
export async function signInByWindow(issuer: Issuer, cancelled: AbortSignal, onClosed: () => void): Promise<Grant> {
  const opened = window.open("about:blank", "_blank", "popup,width=520,height=680");
  if (opened === null) throw new SignInError("BLOCKED", "The browser blocked the issuer's window: allow it, and try again.");
  opened.opener = null; // the issuer's page must not have a reference to this one
  const attempt = newAttempt();
  const looking = setInterval(() => {
    if (!opened.closed) return;
    clearInterval(looking);
    onClosed();
  }, lookEvery);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), answerWithin);
  try {
    let url: string;
    try {
      url = await issuer.authorizeURL(attempt, false);
      cancelled.throwIfAborted();
    } catch (error) {
      opened.close();
      throw error;
    }
    const answered = answerOf(attempt.state, AbortSignal.any([cancelled, late.signal]));
    opened.location.replace(url);
    return await issuer.redeem(await answered, attempt);
  } finally {
    clearTimeout(timer);
    clearInterval(looking);
  }
}
