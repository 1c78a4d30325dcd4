import { Observable } from "../base/observable.ts";

/** A notice to the user about the gateway. */
export interface Notice {
  /**
   * lost: it does not respond. restored: it responds again. changed: it serves another page than this one, or not all of
   * this one.
   */
  kind: "lost" | "restored" | "changed";
  text: string;
}

/** Requests the page again: whether it is the same as this one, or null if the gateway did not serve it. */
type Probe = () => Promise<"same" | "changed" | null>;

/** Whether the gateway responds. After a request without a response it is asked for the page until it serves it. */
export class Connection {
  readonly notice = new Observable<Notice | null>(null);
  readonly #probe: Probe;
  readonly #pause: () => Promise<void>;
  #waiting: Promise<void> | null = null;

  constructor(probe: Probe, pause: () => Promise<void>) {
    this.#probe = probe;
    this.#pause = pause;
  }

  /** Reports a request without a response of the gateway. Resolves when the gateway responds again. */
  lost(text: string): Promise<void> {
    this.notice.set({ kind: "lost", text });
    this.#waiting ??= this.#untilServed().finally(() => {
      this.#waiting = null;
    });
    return this.#waiting;
  }

  /** Reports a script of this page that could not be loaded. */
  incomplete(): void {
    this.notice.set({ kind: "changed", text: pageIncomplete });
  }

  /** Reports a response of the gateway. */
  answered(): void {
    const kind = this.notice.get()?.kind;
    if (kind === "lost" || kind === "restored") this.notice.set(null);
  }

  async #untilServed(): Promise<void> {
    let served: "same" | "changed" | null;
    do {
      await this.#pause();
      served = await this.#probe();
    } while (served === null);
    if (served === "changed") {
      const text = "The gateway was restarted with another version or configuration. Reload the page to use it; your tabs are kept.";
      this.notice.set({ kind: "changed", text });
    } else if (this.notice.get()?.kind === "lost") {
      this.notice.set({ kind: "restored", text: "The gateway responds again. Run the operation again." });
    }
  }
}

/** The error for a request that got no response. */
export const noResponse = "The gateway does not respond. It may be stopped or restarting, or this computer is offline.";

/** The notice for a page whose scripts are not all there, which another version of the gateway does not have. */
const pageIncomplete = "A part of the page could not be loaded. The gateway may have been updated, or it does not respond. Reload the page.";

/** The notice for a stream whose connection ended before its last event. */
export const streamLost = "The connection of the subscription was lost. The gateway may be stopped or restarting, or it ended a long connection.";

/** The error for a response that is not GraphQL's: usually that of a proxy, which may have a request id too. */
export function notGraphQL(status: number, requestId: string | null = null): string {
  const id = requestId === null ? "" : ` Request id: ${requestId}`;
  return `The gateway cannot be reached: a proxy in front of it, or another server, responded with status ${status}.${id}`;
}
