import type { Read } from "./ask.ts";

type Props = Pick<Read<unknown>, "reading" | "problem" | "requestId" | "again">;

/** How a read of a panel is going, and why it failed. */
export function ReadStatus({ reading, problem, requestId, again, doing = "Reading…" }: Props & { doing?: string }) {
  return (
    <>
      <div role="status">
        {reading && <p>{doing}</p>}
        {problem !== null && <p>{problem}</p>}
        {problem !== null && requestId !== null && <p><RequestId id={requestId} /></p>}
      </div>
      {(problem !== null || reading) && <TryAgain again={again} reading={reading} />}
    </>
  );
}

/** The id by which an operator finds a request in the log of the gateway. */
export function RequestId({ id }: { id: string }) {
  return (
    <span className="console-request">
      Request id: <code>{id}</code>
    </span>
  );
}

/** A button that repeats what has failed. While it runs the button keeps the focus. */
export function TryAgain({ again, reading = false }: { again: (() => void) | null; reading?: boolean }) {
  if (again === null) return null;
  return (
    <button type="button" className="console-button" aria-disabled={reading} onClick={() => !reading && again()}>
      Try again
    </button>
  );
}
