/** Over this channel the page that the issuer redirects to (callback.ts) hands its answer to the page that asked. */
export const channelName = "pixgraph-signed-in";

/**
 * Waits for the issuer's answer to the attempt with this state. A channel reaches the page from a frame and from a
 * window, also where the issuer has cut the window off from its opener. Other pages of this origin may hear the code; it
 * is good for nothing without the verifier, which leaves this page for the issuer only.
 */
export function answerOf(state: string, signal: AbortSignal): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(channelName);
    signal.addEventListener("abort", () => {
      channel.close();
      reject(new Error("The issuer did not answer in time."));
    });
    channel.onmessage = (event: MessageEvent<unknown>) => {
      const answer = new URLSearchParams(typeof event.data === "string" ? event.data : "");
      if (answer.get("state") !== state) return;
      channel.close();
      resolve(answer);
    };
  });
}
