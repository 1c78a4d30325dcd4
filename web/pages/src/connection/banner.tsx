import { useObservable } from "../base/observable.ts";
import type { Session } from "../signin/session.ts";
import type { Connection } from "./connection.ts";

/** A line above GraphiQL, in words for the user, if the gateway does not respond or refuses the token. */
export function Banner({ connection, session }: { connection: Connection; session: Session }) {
  const notice = useObservable(connection.notice);
  const { problem } = useObservable(session.state);
  const text = notice?.text ?? problem?.text ?? null;
  const dismiss = () => {
    if (notice !== null) connection.notice.set(null);
    else session.dismiss();
  };
  // A screen reader announces a change inside an alert that is already there.
  return (
    <div className="console-banner" role="alert">
      {text !== null && (
        <>
          <p>{text}</p>
          {notice?.kind === "changed" && (
            <button type="button" className="console-button" onClick={() => location.reload()}>
              Reload the page
            </button>
          )}
          <button type="button" className="console-button" onClick={dismiss}>
            Dismiss
          </button>
        </>
      )}
    </div>
  );
}
