/**
 * The channel on which the page that the issuer redirects to (callback.ts) passes the response to the page that started
 * the sign-in.
 */
export const channelName = "pixgraph-signed-in";

/** The issuer did not respond in time. */
export class NoAnswer extends Error {
  constructor() {
    super("The issuer did not respond in time.");
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
