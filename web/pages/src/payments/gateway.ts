import type { GraphQLFormattedError } from "graphql";
import { parseExact } from "../base/exact.ts";
import type { Session } from "../signin/session.ts";
import type { Kind } from "./route.ts";

/** The response to an operation. */
export interface Answer<Data> {
  data: Data | null;
  errors: GraphQLFormattedError[];
  /** X-Request-Id, by which an operator finds the request in the gateway's log. */
  requestId: string | null;
}

interface Extensions {
  code?: string;
  service?: string;
  requiredScope?: string;
  limit?: string;
  value?: number;
}

/** A read that has no data. Its message is for the user, in the words of the gateway. */
export class Failure extends Error {
  /** NO_TOKEN, NO_RESPONSE and UNKNOWN are of the page, the others are codes of the gateway. */
  readonly code: string;
  readonly requestId: string | null;
  /** The extensions of the error: `service` is the API that failed, `requiredScope` what a token lacks, `value` a limit. */
  readonly extensions: Extensions;

  constructor(message: string, code: string, requestId: string | null, extensions: Extensions = {}) {
    super(message);
    this.code = code;
    this.requestId = requestId;
    this.extensions = extensions;
  }

  /** That of an error in a response. */
  static of(error: GraphQLFormattedError | undefined, requestId: string | null): Failure {
    const extensions = (error?.extensions ?? {}) as Extensions;
    return new Failure(error?.message ?? "no data", extensions.code ?? "UNKNOWN", requestId, extensions);
  }
}

/** A file of the gateway as it arrives. */
export interface Opened {
  body: ReadableStream<Uint8Array<ArrayBuffer>>;
  requestId: string | null;
}

/** The GraphQL endpoint, with the user's token. */
export class Gateway {
  /** The lists whose records the API did not count in the last first page. */
  readonly uncounted = new Set<Kind>();
  readonly #endpoint: string;
  readonly #session: Session;

  constructor(endpoint: string, session: Session) {
    this.#endpoint = endpoint;
    this.#session = session;
  }

  /** The URL for `events` of pixgraph-client. */
  get endpoint(): string {
    return this.#endpoint;
  }

  /** Runs an operation. Throws a Failure if the response has no data, and an AbortError if the signal aborts. */
  async ask<Data>(query: string, variables: Record<string, unknown>, signal?: AbortSignal): Promise<Answer<Data>> {
    let { response, text } = await this.#exchange(query, variables, signal);
    // An API may refuse a token that the gateway accepts.
    if (isRefused(text) && (await this.#session.renew())) ({ response, text } = await this.#exchange(query, variables, signal));
    const requestId = response.headers.get("X-Request-Id");
    const body = bodyOf<Data>(text);
    if (body === null) throw new Failure(`status ${response.status}`, "NO_RESPONSE", requestId);
    this.#session.judged(isRefused(text) ? "401" : null);
    const { data = null, errors = [] } = body;
    if (data === null) throw Failure.of(errors[0], requestId);
    return { data, errors, requestId };
  }

  /** Opens a file: the response to an operation in a format of files. Throws a Failure if the response is another one. */
  async open(query: string, variables: Record<string, unknown>, accept: string, signal: AbortSignal): Promise<Opened> {
    const headers = { "Content-Type": "application/json", Accept: accept };
    const request = async () => {
      try {
        return await this.send(this.#endpoint, { method: "POST", headers, body: JSON.stringify({ query, variables }), signal });
      } catch (error) {
        throw signal.aborted || error instanceof Failure ? error : new Failure("the gateway does not respond", "NO_RESPONSE", null);
      }
    };
    const isFile = ({ ok, headers }: Response) => ok && headers.get("Content-Type")?.startsWith(accept.split(";")[0] ?? "") === true;
    let response = await request();
    let failure = isFile(response) ? null : await failureOf(response);
    if (failure?.code === "UNAUTHENTICATED" && (await this.#session.renew())) {
      response = await request();
      failure = isFile(response) ? null : await failureOf(response);
    }
    this.#session.judged(failure?.code === "UNAUTHENTICATED" ? "401" : null);
    if (failure !== null || response.body === null) throw failure ?? new Failure("no body", "NO_RESPONSE", null);
    return { body: response.body, requestId: response.headers.get("X-Request-Id") };
  }

  async #exchange(query: string, variables: Record<string, unknown>, signal?: AbortSignal): Promise<{ response: Response; text: string }> {
    const body = JSON.stringify({ query, variables });
    const headers = { "Content-Type": "application/json", Accept: "application/json" };
    try {
      const response = await this.send(this.#endpoint, { method: "POST", headers, body, signal: signal ?? null });
      return { response, text: await response.text() };
    } catch (error) {
      if (signal?.aborted || error instanceof Failure) throw error;
      throw new Failure("the gateway does not respond", "NO_RESPONSE", null);
    }
  }

  /** A `fetch` with the user's token, which is renewed once if it is refused. After a 429 it sends the request again later. */
  readonly send = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const request = async (tries = 1): Promise<Response> => {
      const bearer = await this.#session.bearer();
      if (bearer === null) throw new Failure("there is no valid token", "NO_TOKEN", null);
      const headers = new Headers(init.headers);
      headers.set("Authorization", `Bearer ${bearer}`);
      const response = await fetch(url, { ...init, headers, credentials: "omit" });
      if (response.status !== 429 || tries === mostTries) return response;
      await response.body?.cancel();
      init.signal?.throwIfAborted();
      await pause(secondsIn(response.headers.get("Retry-After")), init.signal);
      return request(tries + 1);
    };
    const response = await request();
    if (response.status !== 401) return response;
    if (await this.#session.renew()) return request();
    this.#session.judged("401");
    return response;
  };
}

/** How often a request is sent that exceeds the rate of the user. */
const mostTries = 4;

/** At most ten seconds, so that the page does not seem to hang. */
function secondsIn(retryAfter: string | null): number {
  return Math.min(Math.max(Number(retryAfter) || 1, 1), 10);
}

export function pause(seconds: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}

/** Why there is no file, from a response with errors. */
async function failureOf(response: Response): Promise<Failure> {
  const requestId = response.headers.get("X-Request-Id");
  const body = bodyOf(await response.text().catch(() => ""));
  return body?.errors?.[0] ? Failure.of(body.errors[0], requestId) : new Failure(`status ${response.status}`, "NO_RESPONSE", requestId);
}

function bodyOf<Data>(text: string): Partial<Answer<Data>> | null {
  try {
    const body = parseExact(text);
    return typeof body === "object" && body !== null && ("data" in body || "errors" in body) ? (body as Partial<Answer<Data>>) : null;
  } catch {
    return null; // not JSON, such as the page of a proxy
  }
}

function isRefused(text: string): boolean {
  return (bodyOf(text)?.errors ?? []).some(({ extensions }) => extensions?.["code"] === "UNAUTHENTICATED");
}

/** The code of the error at a field of the root, such as NOT_FOUND; null without one. */
export function codeAt(errors: readonly GraphQLFormattedError[], field: string): string | null {
  const found = errors.find(({ path }) => path?.[0] === field);
  return found ? String(found.extensions?.["code"] ?? "UNKNOWN") : null;
}
