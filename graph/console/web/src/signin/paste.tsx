import type { FormEvent, RefObject } from "react";
import { useState } from "react";
import type { Session } from "./session.ts";

/** A dialog for a token from another source, such as the output of `make run`. */
export function PasteDialog({ session, dialog }: { session: Session; dialog: RefObject<HTMLDialogElement | null> }) {
  const [problem, setProblem] = useState("");

  function take(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const form = event.currentTarget;
    try {
      session.paste(String(new FormData(form).get("token")));
      form.reset();
      setProblem("");
      dialog.current?.close();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }

  return (
    <dialog ref={dialog} className="console-dialog" aria-label="Paste a token" onClose={() => setProblem("")}>
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
