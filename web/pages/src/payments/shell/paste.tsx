import { useState, type FormEvent, type RefObject, type SyntheticEvent } from "react";
import type { Session } from "../../signin/session.ts";
import { readToken } from "../../signin/token.ts";
import { shell } from "../words/shell.ts";
import { useWords } from "../words/words.tsx";

/** Whether a text that cannot be used is a token: then it has expired. */
function isToken(text: string): boolean {
  try {
    return readToken(text) !== null;
  } catch {
    return false;
  }
}

/** A dialog for a token from another source, such as the output of `make run`. */
export function PasteDialog({ session, dialog }: { session: Session; dialog: RefObject<HTMLDialogElement | null> }) {
  const words = useWords(shell);
  const [problem, setProblem] = useState("");
  const take = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("token"));
    try {
      session.paste(text);
      dialog.current?.close();
    } catch {
      setProblem(isToken(text) ? words.tokenExpired : words.tokenInvalid);
    }
  };
  const close = (event: SyntheticEvent<HTMLDialogElement>) => {
    event.currentTarget.querySelector("form")?.reset(); // the next user may be another one
    setProblem("");
  };
  return (
    <dialog ref={dialog} className="dialog" aria-label={words.paste} onClose={close}>
      <form onSubmit={take}>
        <label>
          {words.token}
          <textarea name="token" rows={6} required autoComplete="off" spellCheck={false} autoCapitalize="off" />
        </label>
        <p className="fine" role="alert">{problem}</p>
        <div className="buttons">
          <button type="button" className="button" onClick={() => dialog.current?.close()}>{words.cancel}</button>
          <button type="submit" className="button primary">{words.useToken}</button>
        </div>
      </form>
    </dialog>
  );
}
