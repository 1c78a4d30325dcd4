import { answerOf } from "./answers.ts";
import type { Grant, Issuer } from "./issuer.ts";
import { newAttempt } from "./issuer.ts";

const answerWithin = 10_000;

/**
 * Requests a token from the issuer without showing a page: the issuer recognizes the user by its own cookie, or
 * refuses.
 */
export async function signInSilently(issuer: Issuer): Promise<Grant> {
  const attempt = newAttempt();
  const url = await issuer.authorizeURL(attempt, true);
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.title = "Renewing the session";
  frame.src = url;
  try {
    const answered = answerOf(attempt.state, AbortSignal.timeout(answerWithin));
    document.body.append(frame);
    return await issuer.redeem(await answered, attempt);
  } finally {
    frame.remove();
  }
}
