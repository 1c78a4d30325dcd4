import type { GraphQLFormattedError } from "graphql";
import { downloadedFile, openFile, save } from "../../download/download.ts";
import { Failure, type Gateway } from "../gateway.ts";
import { formats, Saved, type Cut, type FileFormat, type Statuses } from "./saved.ts";

/** A file to download: the operation for it, and which of its rows are kept. */
export interface Request {
  name: string;
  format: FileFormat;
  query: string;
  variables: Record<string, unknown>;
  cut: Omit<Cut, "separator"> | null;
  /** The words of its statuses; null for those of the API. */
  statuses: Omit<Statuses, "separator"> | null;
  /** Whether it has sums, not records. */
  ofSums: boolean;
  /** Whether it may be too large for the memory of the page. The browser then asks where to save it. */
  large: boolean;
}

/**
 * Saves a file, and returns what it has. Rejects with an AbortError if it was stopped, with a Failure if the gateway
 * refuses it, and with another Error if the connection ends early; nothing is saved then.
 */
export async function download(
  gateway: Gateway, { name, format, query, variables, cut, statuses, ofSums, large }: Request, signal: AbortSignal, progress: (saved: Saved) => void,
): Promise<Saved> {
  const { accept, separator } = formats[format];
  const opened = large ? await openFile(name) : downloadedFile(name); // first, since browsers show their dialog only right after a click
  const saved = new Saved(opened, cut && { ...cut, separator }, ofSums ? [] : null, statuses && { ...statuses, separator });
  try {
    const headers = { "Content-Type": "application/json", Accept: accept };
    const response = await gateway.send(gateway.endpoint, { method: "POST", headers, body: JSON.stringify({ query, variables }), signal });
    const isFile = response.headers.get("Content-Type")?.startsWith("text/csv") === true;
    if (!response.ok || !isFile || response.body === null) throw await failureOf(response);
    await save(response.body, "csv", saved, () => progress(saved));
    return saved;
  } catch (error) {
    await saved.abort().catch(() => {});
    throw error;
  }
}

/** Why there is no file, from a response with errors. */
export async function failureOf(response: Response): Promise<Failure> {
  const requestId = response.headers.get("X-Request-Id");
  try {
    const { errors = [] } = (await response.json()) as { errors?: GraphQLFormattedError[] };
    if (errors.length > 0) return Failure.of(errors[0], requestId);
    return new Failure(`status ${response.status}`, "NO_RESPONSE", requestId);
  } catch {
    return new Failure(`status ${response.status}`, "NO_RESPONSE", requestId);
  }
}
