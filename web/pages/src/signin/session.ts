import { Observable } from "../base/observable.ts";
import { NoAnswer, SignInError, type Reason } from "./answers.ts";
import type { Grant, Issuer } from "./issuer.ts";
import type { Keeper } from "./keeper.ts";
import { signInSilently } from "./silent.ts";
import type { Token } from "./token.ts";
import { endsIn, isExpired, readToken, renewIn } from "./token.ts";
import { signInByWindow } from "./window.ts";

export interface SessionState {
  token: Token | null;
  /** Whether the token came from the issuer, so that it can be renewed; false for a pasted one. */
  byIssuer: boolean;
  /** Whether a reload of the tab keeps the token. */
  keep: boolean;
  /** Whether the issuer's window is open. */
  waiting: boolean;
  /** Whether the user was signed in and no longer is, without having signed out. */
  ended: boolean;
  /** How many times a user has signed in or pasted a token: it may be another user each time. */
  signIns: number;
  /** Why the last sign-in failed, or why the gateway refused the token, for the user. */
  problem: { reason: Reason; text: string } | null;
}

/** The user's session with the gateway. The token is in memory, and in sessionStorage if the user wants that. */
export class Session {
  readonly state: Observable<SessionState>;
  readonly #issuer: Issuer | null;
  readonly #keeper: Keeper;
  #refreshToken: string | null = null;
  #renewing: Promise<boolean> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #opened = new AbortController();

  constructor(issuer: Issuer | null, keeper: Keeper) {
    this.#issuer = issuer;
    this.#keeper = keeper;
    const token = keeper.token(Date.now());
    this.state = new Observable<SessionState>({
      token, byIssuer: issuer !== null && keeper.signedIn, keep: keeper.keepsToken, waiting: false, ended: false, signIns: 0, problem: null,
    });
    this.#plan();
    if (token === null && this.state.get().byIssuer) void this.renew();
  }

  get canSignIn(): boolean {
    return this.#issuer !== null;
  }

  /** The token for a request, renewed first if it has expired; null without a session. */
  async bearer(): Promise<string | null> {
    const { token } = this.state.get();
    if ((token === null || isExpired(token, Date.now())) && !(await this.renew())) return null;
    return this.state.get().token?.text ?? null;
  }

  /** Opens the issuer's window. It must be called in a click handler. A sign-in that is under way is cancelled. */
  async signIn(): Promise<void> {
    if (this.#issuer === null) return;
    this.#opened.abort();
    const opened = new AbortController();
    this.#opened = opened;
    this.#change({ waiting: true, problem: null });
    try {
      const grant = await signInByWindow(this.#issuer, opened.signal, () => this.#change({ waiting: false }));
      this.#begin();
      this.#take(grant);
    } catch (error) {
      const isExpected = opened.signal.aborted || (error instanceof NoAnswer && !this.state.get().waiting); // the user closed the window
      if (!isExpected) this.#change({ waiting: false, problem: problemOf(error) });
    }
  }

  /** Signs in without user interaction, if the issuer knows the user, such as in another tab. Otherwise nothing changes. */
  async resume(): Promise<void> {
    const { token, byIssuer } = this.state.get();
    if (this.#issuer === null || token !== null || byIssuer || this.#keeper.signedOut) return;
    try {
      const grant = await signInSilently(this.#issuer);
      if (this.state.get().token !== null || this.#keeper.signedOut) return;
      this.#begin();
      this.#take(grant);
    } catch {
      // The user signs in.
    }
  }

  /** Gets a new token without user interaction. Returns whether there is one; concurrent calls share one attempt. */
  renew(): Promise<boolean> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #renew(): Promise<boolean> {
    const { token, byIssuer } = this.state.get();
    if (this.#issuer === null || !byIssuer) {
      if (token !== null && isExpired(token, Date.now())) this.#change({ ended: true });
      return false;
    }
    try {
      const grant = await this.#grantAgain(this.#issuer);
      const renewed = readToken(grant.accessToken);
      const now = this.state.get();
      if (now.token !== token || !now.byIssuer) return now.token !== null; // the user has signed in or out meanwhile
      if (token !== null && renewed.subject !== token.subject) throw new Error("Another user is signed in at the issuer.");
      this.#take(grant);
      return true;
    } catch {
      if (this.state.get().byIssuer) this.#change({ ended: true });
      return false;
    }
  }

  async #grantAgain(issuer: Issuer): Promise<Grant> {
    if (this.#refreshToken !== null) {
      try {
        return await issuer.refresh(this.#refreshToken);
      } catch {
        this.#refreshToken = null; // used or revoked; the issuer's own session may still be valid
      }
    }
    return signInSilently(issuer);
  }

  /** Uses a token from the user. Throws an Error that says why the token is invalid. */
  paste(text: string): void {
    const token = readToken(text);
    if (isExpired(token, Date.now())) throw new Error("This token has expired.");
    this.#refreshToken = null;
    this.#opened.abort();
    this.#begin();
    this.#change({ token, byIssuer: false, waiting: false, ended: false, problem: null });
  }

  /** Removes the token here. The issuer's own session continues, because other applications may use it. */
  signOut(): void {
    this.#refreshToken = null;
    this.#opened.abort();
    this.#keeper.signedOut = true;
    this.#change({ token: null, byIssuer: false, waiting: false, ended: false, problem: null });
  }

  /** Takes the gateway's judgement of the token: why it was refused after it could not be renewed, or null. */
  judged(refusal: string | null): void {
    if (refusal !== null) {
      const how = this.canSignIn ? "Sign in again, or paste another one." : "Paste another one.";
      this.#change({ ended: true, problem: { reason: "REFUSED", text: `The token was refused: ${refusal}. ${how}` } });
    } else if (this.state.get().problem?.reason === "REFUSED") {
      this.#change({ ended: false, problem: null });
    }
  }

  /** Removes the message about a problem. */
  dismiss(): void {
    this.#change({ problem: null });
  }

  keep(keep: boolean): void {
    this.#change({ keep });
  }

  /** Notes that a user signs in. */
  #begin(): void {
    this.#keeper.signedOut = false;
    this.#change({ signIns: this.state.get().signIns + 1 });
  }

  #take(grant: Grant): void {
    this.#refreshToken = grant.refreshToken;
    this.#change({ token: readToken(grant.accessToken), byIssuer: true, waiting: false, ended: false, problem: null });
  }

  #change(change: Partial<SessionState>): void {
    const state = { ...this.state.get(), ...change };
    this.#keeper.store({ token: state.token, keep: state.keep, signedIn: state.byIssuer });
    this.state.set(state);
    if ("token" in change) this.#plan();
  }

  /** Schedules the renewal of the token shortly before it expires; the session of a pasted token ends when it expires. */
  #plan(): void {
    clearTimeout(this.#timer);
    const { token, byIssuer } = this.state.get();
    const wait = token && (byIssuer ? renewIn : endsIn)(token, Date.now());
    if (wait === null) return;
    this.#timer = setTimeout(() => void this.renew(), wait);
  }
}

function problemOf(error: unknown): { reason: Reason; text: string } {
  return { reason: error instanceof SignInError ? error.reason : "OTHER", text: error instanceof Error ? error.message : String(error) };
}
