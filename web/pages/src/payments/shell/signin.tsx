import { useRef } from "react";
import { useObservable } from "../../base/observable.ts";
import type { Session } from "../../signin/session.ts";
import { shell } from "../words/shell.ts";
import { useWords } from "../words/words.tsx";
import { PasteDialog } from "./paste.tsx";

/** Why the last sign-in failed; null without a failure. What is said of a token that was refused is said where it was used. */
export function useSignInProblem(session: Session): string | null {
  const words = useWords(shell);
  const { problem } = useObservable(session.state);
  return problem === null || problem.reason === "REFUSED" ? null : words.signInFailed(words.signInReasons[problem.reason] ?? problem.text);
}

/** In place of a view that needs a token. The URL stays, so that the user continues there. */
export function SignIn({ session }: { session: Session }) {
  const words = useWords(shell);
  const { waiting, ended, keep } = useObservable(session.state);
  const problem = useSignInProblem(session);
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <section className="sign-in panel" aria-label={words.signInTitle}>
      <h1>{words.signInTitle}</h1>
      <p>{session.canSignIn ? words.signInWhy : words.pasteWhy}</p>
      <div className="buttons">
        {session.canSignIn && (
          <button type="button" className="button primary" onClick={() => void session.signIn()}>{ended ? words.signInAgain : words.signIn}</button>
        )}
        <button type="button" className={session.canSignIn ? "button" : "button primary"} onClick={() => dialog.current?.showModal()}>{words.paste}</button>
      </div>
      <label title={words.keepWhy}>
        <input type="checkbox" className="check" checked={keep} onChange={(event) => session.keep(event.target.checked)} /> {words.keep}
      </label>
      <p role="status">{waiting ? words.waiting : problem ?? (ended ? words.ended : "")}</p>
      <PasteDialog session={session} dialog={dialog} />
    </section>
  );
}
