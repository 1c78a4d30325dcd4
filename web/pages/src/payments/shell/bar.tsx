import { useRef } from "react";
import { pageURL } from "../../base/config.ts";
import { useObservable } from "../../base/observable.ts";
import type { Session } from "../../signin/session.ts";
import { useToday } from "../parts/today.ts";
import { home, hrefOf, type Kind, type Route } from "../route.ts";
import { shell } from "../words/shell.ts";
import { languages, useWords, type Language } from "../words/words.tsx";
import { PasteDialog } from "./paste.tsx";
import { useSignInProblem } from "./signin.tsx";

interface Props {
  route: Route;
  session: Session;
  language: Language;
  changeLanguage: (language: Language) => void;
}

/** The bar of the page: its views, the way to GraphiQL, the language and the user. */
export function Bar({ route, session, language, changeLanguage }: Props) {
  const words = useWords(shell);
  const today = useToday();
  const listOf = (kind: Kind): Route => ({ view: "list", kind, days: { from: today, to: today }, status: null, page: 1 });
  const shown = route.view === "list" ? route.kind : "home";
  const entry = (name: string, to: Route, label: string) => (
    <a href={hrefOf(to)} aria-current={shown === name ? "page" : undefined}>{label}</a>
  );
  return (
    <header className="bar">
      <a className="skip" href="#content" onClick={skip}>{words.skip}</a>
      <a className="brand" href={hrefOf(home)} aria-label="Pixgraph">
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1l7 7-7 7-7-7z" /></svg>
        <span>Pixgraph</span>
      </a>
      <nav aria-label={words.views}>
        {entry("home", home, words.payments)}
        {entry("deposits", listOf("deposits"), words.deposits)}
        {entry("withdrawals", listOf("withdrawals"), words.withdrawals)}
      </nav>
      <div className="bar-end">
        <a href={pageURL("./")}>{words.explorer}</a>
        <select aria-label={words.language} value={language} onChange={(event) => changeLanguage(event.target.value as Language)}>
          {Object.entries(languages).map(([tag, { name }]) => <option key={tag} value={tag}>{name}</option>)}
        </select>
        <User session={session} />
      </div>
      <SignInProblem session={session} />
    </header>
  );
}

/** Moves the focus without changing the URL, which has the view. */
function skip(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

/** Why a user whose session has ended could not sign in again. */
function SignInProblem({ session }: { session: Session }) {
  const problem = useSignInProblem(session);
  const { token } = useObservable(session.state);
  return token !== null && problem !== null && <p className="bar-problem" role="alert">{problem}</p>;
}

function User({ session }: { session: Session }) {
  const words = useWords(shell);
  const { token, ended, byIssuer } = useObservable(session.state);
  const dialog = useRef<HTMLDialogElement>(null);
  if (token === null) return null;
  return (
    <>
      <span className="subject" title={words.signedInAs(token.subject)}>{token.subject}</span>
      {ended && session.canSignIn && <button type="button" className="button primary" onClick={() => void session.signIn()}>{words.signInAgain}</button>}
      {ended && !byIssuer && <button type="button" className={session.canSignIn ? "button" : "button primary"} onClick={() => dialog.current?.showModal()}>{words.paste}</button>}
      <button type="button" className="button" onClick={() => session.signOut()}>{words.signOut}</button>
      <PasteDialog session={session} dialog={dialog} />
    </>
  );
}
