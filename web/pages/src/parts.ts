import type { ExecutionResult } from "graphql";
import { isRecord, parseExact } from "./base/exact.ts";

/** The media types for an operation with deferred fragments. */
export const partsType = "multipart/mixed;incrementalSpec=v0.2, application/json";

/** Whether an operation may be answered in parts. */
export function mayDefer(query: string): boolean {
  return /@defer\b/.test(query);
}

/** The boundary of a response in parts; null for another response. */
export function boundaryOf(contentType: string | null): string | null {
  return /^multipart\/mixed;.*boundary="?([^";]+)/.exec(contentType ?? "")?.[1] ?? null;
}

/** The parts of a response, as texts of JSON. It fails if the response ends without the last one. */
export async function* partsIn(body: ReadableStream<Uint8Array>, boundary: string): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const delimiter = `\r\n--${boundary}`; // texts of JSON can have the rest, but no line break
  let rest = "\r\n";
  for (let begun = false; !(begun && rest.startsWith("--")); ) {
    const end = rest.indexOf(delimiter);
    if (end < 0) {
      const { done, value } = await reader.read();
      if (done) throw new Error("the response is incomplete");
      rest += decoder.decode(value, { stream: true });
      continue;
    }
    const at = rest.indexOf("\r\n\r\n");
    if (begun) yield rest.slice(at, end).trim();
    begun = true;
    rest = rest.slice(end + delimiter.length);
  }
  while (!(await reader.read()).done); // otherwise the browser aborts the request
}

type Path = (string | number)[];

/** A part of version 0.2. */
interface Part extends ExecutionResult {
  pending?: { id: string; path: Path }[];
  incremental?: { id: string; subPath?: Path; data?: unknown; errors?: ExecutionResult["errors"] }[];
  completed?: { id: string; errors?: ExecutionResult["errors"] }[];
  hasNext?: boolean;
}

/** Joins the parts of a response. */
export class Joined {
  /** Whether there are more parts. */
  hasNext = true;
  #paths = new Map<string, Path>();
  #whole: { data?: unknown; errors?: unknown[]; extensions?: unknown } = {};

  /** Adds a part, and returns the response so far. */
  add(text: string): ExecutionResult {
    const part = parseExact(text) as Part;
    this.hasNext = part.hasNext === true;
    if (part.data !== undefined) this.#whole.data = part.data;
    this.#fail(part.errors);
    for (const { id, path } of part.pending ?? []) this.#paths.set(id, path);
    for (const { id, subPath = [], data, errors } of part.incremental ?? []) {
      merge(this.#at([...(this.#paths.get(id) ?? []), ...subPath]), data);
      this.#fail(errors);
    }
    for (const { errors } of part.completed ?? []) this.#fail(errors);
    if (part.extensions !== undefined) this.#whole.extensions = part.extensions;
    const { errors, ...others } = this.#whole;
    return { ...(errors === undefined ? {} : { errors: [...errors] }), ...others } as ExecutionResult;
  }

  #fail(errors: readonly unknown[] = []): void {
    if (errors.length > 0) this.#whole.errors = [...(this.#whole.errors ?? []), ...errors];
  }

  #at(path: Path): unknown {
    return path.reduce((value: unknown, key) => (value as Record<string | number, unknown> | null)?.[key], this.#whole.data);
  }
}

/** Adds the members of an object to another one. */
function merge(into: unknown, from: unknown): void {
  if (!isRecord(into) || !isRecord(from)) return;
  for (const [key, value] of Object.entries(from)) {
    if (Object.hasOwn(into, key) && isRecord(into[key]) && isRecord(value)) merge(into[key], value);
    else into[key] = value;
  }
}
