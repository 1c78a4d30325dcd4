import type { Fetcher } from "@graphiql/toolkit";
import type { ExecutionResult } from "graphql";
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

type Answer = ExecutionResult & { extensions?: { trace?: Trace; cost?: Cost } };

/** Sends operations to the gateway with the user's token. The cost of each is set in spent. */
export function createFetcher(endpoint: string, session: Session, trace: boolean, spent: Observable<Spent | null>): Fetcher {
  return async (request, options) => {
    const own = new Headers(options?.headers);
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

    let [response, answer] = await read(await send());
    if (isUnauthenticated(response, answer) && !own.has("Authorization") && (await session.renew())) {
      [response, answer] = await read(await send());
    }
    if (answer === null) return refusal(session);
    spent.set({
      operationName,
      trace: answer.extensions?.trace ?? null,
      cost: answer.extensions?.cost ?? null,
    });
    return asAsked(answer, own);
  };
}

async function read(response: Response | null): Promise<[Response | null, Answer | null]> {
  if (response === null) return [null, null];
  const text = await response.text();
  try {
    return [response, JSON.parse(text) as Answer];
  } catch {
    throw new Error(`The gateway responded with status ${response.status} and a body that is not JSON.`);
  }
}

/** Whether the token was refused, by the gateway or by an API behind it. */
function isUnauthenticated(response: Response | null, answer: Answer | null): boolean {
  return response?.status === 401 || (answer?.errors ?? []).some((error) => error.extensions?.["code"] === "UNAUTHENTICATED");
}

/** The result that is shown if no request was sent. */
function refusal(session: Session): ExecutionResult {
  const how = session.canSignIn ? "sign in above, or paste a token" : "paste a token above";
  return { errors: [{ message: `Not sent: there is no valid token. Please ${how}.` } as never] };
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
