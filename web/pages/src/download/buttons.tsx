import { useGraphiQL } from "@graphiql/react";
import { useEffect, useMemo, useRef, useState } from "react";
import { bodyOf, objectOf, type Content } from "../operations/curl.ts";
import { pageURL } from "../base/config.ts";
import { RequestId, TryAgain } from "../base/tryagain.tsx";
import type { Session } from "../signin/session.ts";
import { accept, openFile, save, type Format } from "./download.ts";
import { listOf } from "./list.ts";

const labels: Record<Format, string> = { csv: "Download CSV", ndjson: "Download NDJSON" };

interface Props extends Omit<Content, "headers"> {
  session: Session;
  /** What the editors have now. */
  content: () => Content;
}

/** What is said about a download, and about which queries; with what is known of one that failed. */
interface Said {
  text: string;
  about: string[];
  failed: { format: Format; requestId: string | null } | null;
}

/** Saves all pages of the list that the operation of the editor selects as a file. Without such a list it shows nothing. */
export function DownloadButtons({ session, query, operationName, variables, content }: Props) {
  const schema = useGraphiQL((state) => state.schema);
  const list = useMemo(() => listOf(schema, { query, operationName, variables }), [schema, query, operationName, variables]);
  // What is said is about these queries: the editor's text reaches the page with a delay, also after a download has begun.
  const [{ text, about, failed }, say] = useState<Said>({ text: "", about: [], failed: null });
  const [running, setRunning] = useState<AbortController | null>(null);
  const newest = useRef<AbortController | null>(null);
  useEffect(() => () => newest.current?.abort(), []);
  const isCurrent = running !== null || about.includes(query);
  const said = isCurrent ? text : "";
  if (list === null && running === null && said === "") return null;
  const start = (format: Format) => {
    const control = new AbortController();
    newest.current = control;
    setRunning(control);
    const now = content();
    const name = `${now.operationName ?? list}.${format}`;
    const tell = (text: string, failed: Said["failed"] = null) => say({ text: `${name}: ${text}`, about: [query, now.query], failed });
    tell("waiting for the gateway…");
    download(session, now, format, name, control.signal, tell)
      .then(tell, (error: Error) => {
        if (error.name === "AbortError") return tell("stopped, nothing was saved.");
        tell(`${error.message} Nothing was saved.`, { format, requestId: error instanceof Refused ? error.requestId : null });
      })
      .finally(() => setRunning(null));
  };
  return (
    <span className="answer-views" role="group" aria-label="Download all pages">
      {running === null && list !== null && (Object.keys(labels) as Format[]).map((format) => (
        <button key={format} type="button" className="console-button" onClick={() => start(format)}>{labels[format]}</button>
      ))}
      {running !== null && <button type="button" className="console-button" onClick={() => running.abort()}>Stop the download</button>}
      <span role="status" className="download-said">{said}</span>
      {isCurrent && failed !== null && (
        <>
          {failed.requestId !== null && <RequestId id={failed.requestId} />}
          {list !== null && <TryAgain again={() => start(failed.format)} />}
        </>
      )}
    </span>
  );
}

/** Downloads with the user's token, and says how it ended. */
async function download(
  session: Session, content: Content, format: Format, name: string, signal: AbortSignal, progress: (text: string) => void,
): Promise<string> {
  const body = bodyOf(content);
  const own = new Headers(objectOf(content.headers, "headers") as Record<string, string>);
  const send = async (): Promise<Response> => {
    const headers = new Headers(own);
    headers.set("Content-Type", "application/json");
    headers.set("Accept", accept[format]);
    if (!own.has("Authorization")) {
      const bearer = await session.bearer();
      if (bearer === null) throw new Error("Not sent: there is no valid token.");
      headers.set("Authorization", `Bearer ${bearer}`);
    }
    return fetch(pageURL("graphql"), { method: "POST", headers, body, credentials: "omit", signal });
  };
  const file = await openFile(name);
  let requestId: string | null = null;
  try {
    let response = await send();
    if (response.status === 401 && !own.has("Authorization") && (await session.renew())) response = await send();
    requestId = response.headers.get("X-Request-Id");
    const isFile = response.headers.get("Content-Type")?.startsWith(accept[format].split(";")[0] ?? "") === true;
    if (!response.ok || !isFile || response.body === null) throw new Error(await problemOf(response));
    return (await save(response.body, format, file, progress)).said;
  } catch (error) {
    await file.abort().catch(() => {});
    throw error instanceof Error && error.name !== "AbortError" ? new Refused(error.message, requestId) : error;
  }
}

/** A download that failed, with the id of its request if there was a response. */
class Refused extends Error {
  readonly requestId: string | null;

  constructor(message: string, requestId: string | null) {
    super(message);
    this.requestId = requestId;
  }
}

async function problemOf(response: Response): Promise<string> {
  try {
    const { errors } = (await response.json()) as { errors: { message: string }[] };
    return `${errors[0]?.message ?? response.status}.`;
  } catch {
    return `The response is not one of the gateway: status ${response.status}.`;
  }
}
