/**
 * The channel on which the page that the issuer redirects to (callback.ts) passes the response to the page that started
 * the sign-in.
 */
export const channelName = "pixgraph-signed-in";

/** Why a user is not signed in: REFUSED is the gateway's word about a token, OTHER has only a text. */
export type Reason = "BLOCKED" | "DENIED" | "UNREACHABLE" | "NO_ANSWER" | "REFUSED" | "OTHER";

/** A sign-in that failed, for the user: in English, and as a reason for pages that have words of their own. */
export class SignInError extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The issuer did not respond in time. */
export class NoAnswer extends SignInError {
  constructor() {
    super("NO_ANSWER", "The issuer did not respond in time.");
  }
}

/**
 * Waits for the issuer's response to the attempt with this state. A channel works from a frame and from a window, even
 * if the issuer has cut the window off from its opener. Other pages of this origin can receive the code, but it is
 * useless without the verifier, which is sent only to the issuer.
 */
export function answerOf(state: string, signal: AbortSignal): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(channelName);
    signal.addEventListener("abort", () => {
      channel.close();
      reject(new NoAnswer());
    });
    channel.onmessage = (event: MessageEvent<unknown>) => {
      const answer = new URLSearchParams(typeof event.data === "string" ? event.data : "");
      if (answer.get("state") !== state) return;
      channel.close();
      resolve(answer);
    };
  });
}
