/** The id by which an operator finds a request in the log of the gateway. */
export function RequestId({ id }: { id: string }) {
  return (
    <span className="console-request">
      Request id: <code>{id}</code>
    </span>
  );
}

/** A button that repeats what has failed. While it runs the button keeps the focus. */
export function TryAgain({ again, reading = false }: { again: () => void; reading?: boolean }) {
  return (
    <button type="button" className="console-button" aria-disabled={reading} onClick={() => !reading && again()}>
      Try again
    </button>
  );
}
