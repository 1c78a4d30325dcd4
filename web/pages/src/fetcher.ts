import type { Fetcher } from "@graphiql/toolkit";
import type { ExecutionResult } from "graphql";
import { answered, figuresOf, resultOf } from "./operations/answered.ts";
import type { Answers } from "./live/answers.ts";
import { noResponse, notGraphQL, streamLost, type Connection } from "./connection/connection.ts";
import { parseExact } from "./base/exact.ts";
import type { Observable } from "./base/observable.ts";
import { resumed } from "./live/resume.ts";
import { refusalIn, subscription, type Resume } from "./live/subscribe.ts";
import { isSubscription, operationToRun } from "./operations/name.ts";
import { boundaryOf, Joined, mayDefer, partsIn, partsType } from "./parts.ts";
import type { Session } from "./signin/session.ts";
import { costHeader, traceHeader, type Cost, type Spent, type Trace } from "./base/trace.ts";

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
    const asked = { ...request, operationName };
    const streams = isSubscription(request.query, operationName);
    const isPageToken = !own.has("Authorization");
    let bearer: string | null = null;
    const send = async (body: string, signal?: AbortSignal): Promise<Response | null> => {
      const headers = new Headers(own);
      headers.set("Content-Type", "application/json");
      // Not application/graphql-response+json: browsers log every 400 as an error, and a mistake in a query is not one.
      const media = streams ? "text/event-stream, application/json" : mayDefer(request.query) ? partsType : "application/json";
      headers.set("Accept", media);
      if (trace) headers.set(traceHeader, "1");
      headers.set(costHeader, "1");
      if (isPageToken) {
        bearer = await session.bearer();
        if (bearer === null) return null;
        headers.set("Authorization", `Bearer ${bearer}`);
      }
      return fetch(endpoint, { method: "POST", headers, body, credentials: "omit", signal: signal ?? null });
    };

    /** Resolves to the response, or to a text for the user without one. */
    const exchange = async (signal?: AbortSignal, resume: Resume | null = null): Promise<Reply | string> => {
      const body = JSON.stringify(resume?.since ? resumed(asked, resume.since) : asked);
      const ask = () => send(body, signal).then(read).catch(() => noResponse);
      let reply = await ask();
      if (isPageToken && refusal(reply) !== null && (await session.renew())) reply = await ask();
      if (reply === null) return `${notSent} Please ${session.canSignIn ? "sign in above, or " : ""}paste a token.`;
      if (typeof reply === "string") {
        if (signal?.aborted !== true && resume === null) void connection.lost(reply);
        return reply;
      }
      connection.answered();
      if (isPageToken) session.judged(refusal(reply));
      return reply;
    };
    const began = performance.now();
    /** The response so far after each of its parts. */
    async function* joined({ status }: Reply, parts: AsyncGenerator<string>): AsyncGenerator<ExecutionResult> {
      const whole = new Joined();
      let last: Reply = { events: null, parts: null, answer: {}, status, text: "" };
      try {
        for await (const part of parts) {
          last = { ...last, answer: whole.add(part), text: last.text + part };
          if (whole.hasNext) yield resultTo(last, false);
        }
      } catch {
        last.answer = { ...last.answer, errors: [...(last.answer.errors ?? []), { message: partsLost } as never] };
      }
      yield resultTo(last);
    }
    const resultTo = (reply: Reply | string, isWhole = true): ExecutionResult => {
      if (typeof reply === "string") return failure(reply);
      const { answer, status, text } = reply;
      if (!isWhole) return resultOf(answered(answer, asked, ""));
      spent.set({ operationName, streams: false, trace: answer.extensions?.trace ?? null, cost: answer.extensions?.cost ?? null });
      const shown = asAsked(answer, own);
      if (answers === null) return shown;
      const kept = answered(shown, asked, figuresOf(status, performance.now() - began, text));
      answers.add(kept);
      return resultOf(kept);
    };
    if (!streams) {
      const reply = await exchange();
      return typeof reply === "string" || reply.parts === null ? resultTo(reply) : joined(reply, reply.parts);
    }

    return subscription(asked, answers, {
      async open(signal, resume) {
        const reply = await exchange(signal, resume);
        if (typeof reply === "string" || reply.events === null) {
          const again = typeof reply === "string" ? failure(reply) : reply.answer;
          return { result: resume === null ? resultTo(reply) : again, retryable: isRetryable(reply) };
        }
        spent.set({ operationName, streams: true, trace: null, cost: null });
        return reply.events;
      },
      async renew() {
        if (!isPageToken) return false;
        const used = bearer;
        const current = await session.bearer();
        return current !== null && (current !== used || (await session.renew()));
      },
      refused(why) {
        if (isPageToken) session.judged(why);
      },
      lost: () => void connection.lost(streamLost),
    });
  };
}

const notSent = "Not sent: there is no valid token.";

/** Whether the same request may succeed later. */
function isRetryable(reply: Reply | string): boolean {
  if (typeof reply === "string") return !reply.startsWith(notSent);
  return reply.answer.errors?.some(({ extensions }) => extensions?.["retryable"] === true) ?? false;
}

/** The user's headers; null if they are not valid. */
function headersOf(headers: unknown): Headers | null {
  try {
    return new Headers((headers ?? {}) as Record<string, string>);
  } catch {
    return null;
  }
}

const partsLost = "The connection was lost before all parts of the response had come.";

/** A response of the gateway. A stream has events, one in parts has those, and neither has an answer. */
interface Reply {
  events: Response | null;
  parts: AsyncGenerator<string> | null;
  answer: Answer;
  status: number;
  text: string;
}

/** The response; null if no request was sent; a text for the user if it is not a response of the gateway. */
async function read(response: Response | null): Promise<Reply | string | null> {
  if (response === null) return null;
  const { status } = response;
  const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream") === true;
  if (isStream && response.body !== null) return { events: response, parts: null, answer: {}, status, text: "" };
  const boundary = boundaryOf(response.headers.get("Content-Type"));
  if (boundary !== null && response.body !== null) {
    return { events: null, parts: partsIn(response.body, boundary), answer: {}, status, text: "" };
  }
  const text = await response.text();
  try {
    const answer: unknown = parseExact(text);
    if (isAnswer(answer)) return { events: null, parts: null, answer, status, text };
  } catch {
    // the text below applies
  }
  return notGraphQL(status, response.headers.get("X-Request-Id"));
}

function isAnswer(body: unknown): body is Answer {
  return typeof body === "object" && body !== null && ("data" in body || "errors" in body);
}

/** Why the gateway, or an API behind it, refused the token; null if none did. */
function refusal(reply: Reply | string | null): string | null {
  return reply === null || typeof reply === "string" ? null : refusalIn(reply.answer);
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
