import type { Fetcher } from "@graphiql/toolkit";
import type { ExecutionResult } from "graphql";
import type { Answers } from "./answer/answers.ts";
import { noResponse, notGraphQL, type Connection } from "./connection/connection.ts";
import { parseExact } from "./exact.ts";
import type { Observable } from "./observable.ts";
import { operationToRun } from "./operations/name.ts";
import type { Session } from "./signin/session.ts";
import type { Cost, Trace } from "./trace.ts";
import { costHeader, traceHeader } from "./trace.ts";

/** The cost of an operation: null if the gateway did not report it. */
export interface Spent {
  operationName: string | null;
  trace: Trace | null;
  cost: Cost | null;
}

export type Answer = ExecutionResult & { extensions?: { trace?: Trace; cost?: Cost } };

/** What a fetcher reports to. */
export interface Reports {
  session: Session;
  connection: Connection;
  spent: Observable<Spent | null>;
  /** Receives the answers that are shown; null if they are not. */
  answers: Answers | null;
}

/** Sends operations to the gateway with the user's token. Errors are results, so that GraphiQL shows no stack. */
export function createFetcher(endpoint: string, trace: boolean, { session, connection, spent, answers }: Reports): Fetcher {
  return async (request, options) => {
    const own = headersOf(options?.headers);
    if (own === null) return failure("Not sent: a name or a value in Headers is not allowed in a request.");
    const operationName = operationToRun(request.query, request.operationName ?? null);
    const body = JSON.stringify({ ...request, operationName });
    const send = async (): Promise<Response | null> => {
      const headers = new Headers(own);
      headers.set("Content-Type", "application/json");
      // Not application/graphql-response+json: browsers log every 400 as an error, and a mistake in a query is not one.
      headers.set("Accept", "application/json");
      if (trace) headers.set(traceHeader, "1");
      headers.set(costHeader, "1");
      if (!headers.has("Authorization")) {
        const bearer = await session.bearer();
        if (bearer === null) return null;
        headers.set("Authorization", `Bearer ${bearer}`);
      }
      return fetch(endpoint, { method: "POST", headers, body, credentials: "omit" });
    };

    const ask = () => send().then(read).catch(() => noResponse);
    const began = performance.now();
    let reply = await ask();
    const isPageToken = !own.has("Authorization");
    if (isPageToken && refusalIn(reply) !== null && (await session.renew())) reply = await ask();
    if (reply === null) return failure(`Not sent: there is no valid token. Please ${session.canSignIn ? "sign in above, or " : ""}paste a token.`);
    if (typeof reply === "string") {
      void connection.lost(reply);
      return failure(reply);
    }
    connection.answered();
    if (isPageToken) session.judged(refusalIn(reply));
    const { answer, status, text } = reply;
    spent.set({
      operationName,
      trace: answer.extensions?.trace ?? null,
      cost: answer.extensions?.cost ?? null,
    });
    const shown = asAsked(answer, own);
    return answers?.add(shown, { query: request.query, status, millis: performance.now() - began, bytes: new Blob([text]).size }) ?? shown;
  };
}

/** The user's headers; null if they are not valid. */
function headersOf(headers: unknown): Headers | null {
  try {
    return new Headers((headers ?? {}) as Record<string, string>);
  } catch {
    return null;
  }
}

/** A response of the gateway. */
interface Reply {
  answer: Answer;
  status: number;
  text: string;
}

/** The response; null if no request was sent; a text for the user if it is not a response of the gateway. */
async function read(response: Response | null): Promise<Reply | string | null> {
  if (response === null) return null;
  const { status } = response;
  const text = await response.text();
  try {
    const answer: unknown = parseExact(text);
    if (isAnswer(answer)) return { answer, status, text };
  } catch {
    // the text below applies
  }
  return notGraphQL(status);
}

function isAnswer(body: unknown): body is Answer {
  return typeof body === "object" && body !== null && ("data" in body || "errors" in body);
}

/** Why the gateway, or an API behind it, refused the token; null if none did. */
function refusalIn(reply: Reply | string | null): string | null {
  if (reply === null || typeof reply === "string") return null;
  return reply.answer.errors?.find((error) => error.extensions?.["code"] === "UNAUTHENTICATED")?.message ?? null;
}

/** The result that is shown instead of a response. */
function failure(message: string): ExecutionResult {
  return { errors: [{ message } as never] };
}

/** The response without the extensions that only the page requested: the panels show those. */
function asAsked(answer: Answer, own: Headers): Answer {
  if (answer.extensions === undefined) return answer;
  const { trace, cost, ...others } = answer.extensions;
  const extensions = {
    ...others,
    ...(trace !== undefined && own.has(traceHeader) ? { trace } : {}),
    ...(cost !== undefined && own.has(costHeader) ? { cost } : {}),
  };
  const { extensions: _, ...rest } = answer;
  return Object.keys(extensions).length > 0 ? { ...rest, extensions } : rest;
}
