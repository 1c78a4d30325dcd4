import { useRef } from "react";
import { useObservable } from "../../base/observable.ts";
import type { Session } from "../../signin/session.ts";
import { shell } from "../words/shell.ts";
import { useWords } from "../words/words.tsx";
import { PasteDialog } from "./paste.tsx";

/** In place of a view that needs a token. The URL stays, so that the user continues there. */
export function SignIn({ session }: { session: Session }) {
  const words = useWords(shell);
  const { waiting, ended, problem, keep } = useObservable(session.state);
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
      <p role="status">{waiting ? words.waiting : ended ? words.ended : problem !== null ? words.signInFailed(problem) : ""}</p>
      <PasteDialog session={session} dialog={dialog} />
    </section>
  );
}
