import { useEffect, useRef, useState } from "react";
import { pageURL } from "../base/config.ts";
import { useObservable } from "../base/observable.ts";
import { PasteDialog } from "./paste.tsx";
import type { Session } from "./session.ts";
import type { Token } from "./token.ts";
import { timeLeft } from "./token.ts";

/** The bar above GraphiQL: the signed-in user, and how to sign in. */
export function Account({ session }: { session: Session }) {
  const state = useObservable(session.state);
  const paste = useRef<HTMLDialogElement>(null);
  const signIn = () => void session.signIn();
  return (
    <header className="console-account">
      <h1 className="console-name">Pixgraph</h1>
      <a className="console-payments" href={pageURL("payments")}>Payments</a>
      <div className="console-notice" role="status">
        {noticeOf(session, state)}
      </div>
      {state.token !== null && <Who token={state.token} />}
      <label className="console-keep" title="Otherwise a reload forgets the token. It is kept in sessionStorage, for this browser tab only.">
        <input type="checkbox" checked={state.keep} onChange={(event) => session.keep(event.target.checked)} />
        Keep for this browser tab
      </label>
      {session.canSignIn && (state.token === null || state.ended) && (
        <button type="button" className="console-button console-primary console-sign-in" onClick={signIn}>
          {state.ended ? "Sign in again" : "Sign in"}
        </button>
      )}
      <button type="button" className="console-button console-paste" onClick={() => paste.current?.showModal()}>
        Paste a token
      </button>
      {state.token !== null && (
        <button type="button" className="console-button console-sign-out" onClick={() => session.signOut()}>
          Sign out
        </button>
      )}
      <PasteDialog session={session} dialog={paste} />
    </header>
  );
}

function noticeOf(session: Session, state: { token: Token | null; ended: boolean; waiting: boolean }): string {
  if (state.waiting) return "Continue in the window of the issuer.";
  if (state.ended) return "The session has ended, or is about to. Your edits are still here.";
  if (state.token === null) return session.canSignIn ? "Not signed in." : "No token: paste one.";
  return "";
}

function Who({ token }: { token: Token }) {
  const now = useNow(1000);
  const scopes = token.scopes.join(" ") || "no scopes";
  const left = timeLeft(token, now);
  return (
    <div className="console-who" title={`${token.subject}: ${scopes}`}>
      <span className="console-subject">{token.subject || "unknown subject"}</span>
      <span className="console-scopes">{scopes}</span>
      {left !== "" && <span className="console-time-left">{left}</span>}
    </div>
  );
}

function useNow(everyMillis: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMillis);
    return () => clearInterval(timer);
  }, [everyMillis]);
  return now;
}
