import { Failure } from "../gateway.ts";
import { parts } from "../words/parts.ts";
import { useWords } from "../words/words.tsx";
import { CopyButton } from "./copy.tsx";

/** After these, the same request fails again: the bar has the button to sign in, or nothing can be done here. */
const final: ReadonlySet<string> = new Set(["NO_TOKEN", "UNAUTHENTICATED", "FORBIDDEN", "NOT_FOUND", "BAD_USER_INPUT", "DOCUMENT_NOT_TRUSTED"]);

/** Why something could not be read, with the id of the request and a button that reads it again. */
export function Problem({ error, again }: { error: unknown; again: () => void }) {
  const words = useWords(parts);
  const { code, requestId, message, extensions: { service, requiredScope } } = error instanceof Failure ? error : new Failure(String(error), "", null);
  const ofWebhooks = service === "dispatcher" || requiredScope !== undefined ? words.problemsOfWebhooks[code] : undefined;
  return (
    <div className="problem" role="alert">
      <p>{ofWebhooks ?? words.problems[code] ?? words.problem}</p>
      {requestId !== null && (
        <>
          <p className="fine">{words.requestId}: <code>{requestId}</code> <CopyButton text={requestId} what={words.requestId} /></p>
          <details className="fine">
            <summary>{words.technical}</summary>
            <p lang="en">{message}</p>
          </details>
        </>
      )}
      {!final.has(code) && <button type="button" className="button" onClick={again}>{words.again}</button>}
    </div>
  );
}
