import { useState, type FormEvent } from "react";
import type { Ask } from "../base/ask.ts";
import type { Config, Operation } from "../base/config.ts";
import { RequestId, TryAgain } from "../base/tryagain.tsx";
import { findNewest, recordNames, type Found, type Search } from "./newest.ts";
import { useOpen } from "./open.ts";

/** The variables of an operation as the editor shows them. */
export function variablesText(operation: Operation, ids: Record<string, string> = {}): string {
  return JSON.stringify({ ...ids, ...operation.variables }, null, 2);
}

/**
 * A ready-made operation. Its ids are those of the caller's newest records; if a record is not found, the card asks for its
 * id.
 */
export function Card({ operation, config, ask }: { operation: Operation; config: Config; ask: Ask }) {
  const open = useOpen();
  const [{ search, reading, tries }, set] = useState<{ search: Search | null; reading: boolean; tries: number }>({ search: null, reading: false, tries: 0 });
  const records = Object.entries(operation.ids ?? {});
  const openWith = (ids: Record<string, string>) => open({ query: operation.text, variables: variablesText(operation, ids) });
  const choose = async () => {
    if (records.length === 0) return openWith({});
    set({ search: null, reading: true, tries: tries + 1 });
    const search = await findNewest(ask, records.map(([, record]) => record), config.links);
    set({ search, reading: false, tries: tries + 1 });
    const ids = records.flatMap(([variable, record]) => (search.found[record] === undefined ? [] : [[variable, search.found[record]]]));
    if (ids.length === records.length) openWith(Object.fromEntries(ids) as Record<string, string>);
  };
  const { found = {}, failure = null } = search ?? {};
  const missing = search ? records.map(([, record]) => record).filter((record) => found[record] === undefined) : [];
  const problem = failure?.message ?? (missing.length > 0 ? reasonOf(missing, config) : null);
  const requestId = failure?.extensions?.["requestId"];
  return (
    <li>
      <button type="button" className="console-operation" onClick={() => void choose()} disabled={reading}>
        <strong>{operation.title}</strong>
        <span>{operation.description}</span>
      </button>
      <div role="status">
        {reading && <p>Reading your newest payments…</p>}
        {problem !== null && <p>{problem}</p>}
        {typeof requestId === "string" && <p><RequestId id={requestId} /></p>}
      </div>
      {(failure !== null || (reading && tries > 1)) && <TryAgain again={() => void choose()} reading={reading} />}
      {problem !== null && <IDs operation={operation} found={found} openWith={openWith} />}
      <details className="operation-explanation">
        <summary>About: {operation.title}</summary>
        {operation.explanation.map((paragraph) => <p key={paragraph}>{paragraph}</p>)}
      </details>
    </li>
  );
}

function reasonOf(missing: string[], config: Config): string {
  if (missing.includes("notification")) {
    return config.links
      ? "Your newest payments name no notification."
      : "This gateway does not find the notifications of a payment: links_metadata_pointer is not set.";
  }
  return missing.includes("openTransaction") ? "You have no payment that is not paid yet." : "You have no payment.";
}

/** Asks for the ids of an operation. */
function IDs({ operation, found, openWith }: { operation: Operation; found: Found; openWith: (ids: Record<string, string>) => void }) {
  const [ids, setIDs] = useState<Record<string, string>>(() =>
    Object.fromEntries(Object.entries(operation.ids ?? {}).map(([variable, record]) => [variable, found[record] ?? ""])),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    openWith(ids);
  };
  return (
    <form className="console-form" onSubmit={submit}>
      {Object.entries(operation.ids ?? {}).map(([variable, record]) => (
        <label key={variable}>
          {recordNames[record]}
          <input
            required
            autoComplete="off"
            spellCheck={false}
            value={ids[variable] ?? ""}
            onChange={(event) => setIDs({ ...ids, [variable]: event.target.value.trim() })}
          />
        </label>
      ))}
      <button type="submit" className="console-button">Open the operation</button>
    </form>
  );
}
