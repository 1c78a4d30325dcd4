import { answerOf } from "./answers.ts";
import type { Grant, Issuer } from "./issuer.ts";
import { newAttempt } from "./issuer.ts";

/** As long as a person may take to find a password. */
const answerWithin = 10 * 60_000;

/**
 * Lets the person sign in at the issuer, in a window of its own: the page behind it keeps its answers and its unsent
 * edits. The window has to be opened at once, within the click, or it is taken for a pop-up. It closes itself when the
 * issuer leads back; while it is the issuer's, it is out of this page's hands.
 */
export async function signInByWindow(issuer: Issuer, cancelled: AbortSignal): Promise<Grant> {
  const opened = window.open("about:blank", "_blank", "popup,width=520,height=680");
  if (opened === null) throw new Error("The browser blocked the issuer's window: allow it, and try again.");
  opened.opener = null; // the issuer's page has no business with this one
  const attempt = newAttempt();
  let url: string;
  try {
    url = await issuer.authorizeURL(attempt, false);
  } catch (error) {
    opened.close();
    throw error;
  }
  const answered = answerOf(attempt.state, AbortSignal.any([cancelled, AbortSignal.timeout(answerWithin)]));
  opened.location.replace(url);
  return issuer.redeem(await answered, attempt);
}
