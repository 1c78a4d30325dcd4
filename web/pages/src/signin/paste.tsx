import type { FormEvent, RefObject, SyntheticEvent } from "react";
import { useState } from "react";
import type { Session } from "./session.ts";

/** A dialog for a token from another source, such as the output of `make run`. */
export function PasteDialog({ session, dialog }: { session: Session; dialog: RefObject<HTMLDialogElement | null> }) {
  const [problem, setProblem] = useState("");

  function take(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    try {
      session.paste(String(new FormData(event.currentTarget).get("token")));
      dialog.current?.close();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }

  function close(event: SyntheticEvent<HTMLDialogElement>): void {
    event.currentTarget.querySelector("form")?.reset(); // the next user may be another one
    setProblem("");
  }

  return (
    <dialog ref={dialog} className="console-dialog" aria-label="Paste a token" onClose={close}>
      <form onSubmit={take}>
        <label htmlFor="console-token">Access token, a JWT</label>
        <textarea id="console-token" name="token" rows={6} required autoComplete="off" spellCheck={false} autoCapitalize="off" />
        <p className="console-problem" role="alert">{problem}</p>
        <div className="console-dialog-buttons">
          <button type="button" className="console-button" onClick={() => dialog.current?.close()}>Cancel</button>
          <button type="submit" className="console-button console-primary">Use this token</button>
        </div>
      </form>
    </dialog>
  );
}
