import { Failure } from "../gateway.ts";
import { parts } from "../words/parts.ts";
import { useWords } from "../words/words.tsx";
import { CopyButton } from "./copy.tsx";

/** The codes to which the message of the gateway adds nothing. */
const selfEvident: ReadonlySet<string> = new Set(["NO_TOKEN", "NO_RESPONSE", "NOT_FOUND"]);

/** Why something could not be read, with the id of the request and a button that reads it again. */
export function Problem({ error, again }: { error: unknown; again: () => void }) {
  const words = useWords(parts);
  const { code, requestId, message } = error instanceof Failure ? error : { code: "", requestId: null, message: String(error) };
  return (
    <div className="problem" role="alert">
      <p>{words.problems[code] ?? words.problem}</p>
      {!selfEvident.has(code) && message !== "" && <p className="fine" lang="en">{message}</p>}
      {requestId !== null && (
        <p className="fine">
          {words.requestId}: <code>{requestId}</code> <CopyButton text={requestId} what={words.requestId} />
        </p>
      )}
      <button type="button" className="button" onClick={again}>{words.again}</button>
    </div>
  );
}
