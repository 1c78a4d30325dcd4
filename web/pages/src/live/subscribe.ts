import type { Observable } from "@graphiql/toolkit";
import type { ExecutionResult } from "graphql";
import { events, readThrough } from "../base/client.ts";
import { parseExact } from "../base/exact.ts";
import { resultOf } from "../operations/answered.ts";
import type { Asked } from "../operations/fields.ts";
import type { Answers } from "./answers.ts";
import { liveOf, Stream } from "./stream.ts";

/** Where the events of a subscription come from. */
export interface Source {
  /** Requests the subscription. resume is null the first time. */
  open(signal: AbortSignal, resume: Resume | null): Promise<Response | Rejection>;
  /** Gets another token, after the one of the stream was refused. Resolves to whether there is one. */
  renew(): Promise<boolean>;
  /** Reports why the token was refused, if there is no other one. */
  refused(refusal: string): void;
  /** Reports that the connection was lost, and cannot be opened again. */
  lost(): void;
}

/** How a subscription continues. */
export interface Resume {
  /** The time of the last change that was shown; null if it is not known. */
  since: string | null;
}

/** The answer to a subscription that does not begin. */
export interface Rejection {
  result: ExecutionResult;
  /** Whether the same request may succeed later. */
  retryable: boolean;
}

/** What GraphiQL passes to subscribe. */
interface Observer {
  next(result: ExecutionResult): void;
  error(reason: unknown): void;
  complete(): void;
}

type Show = (result: ExecutionResult) => void;

/** Runs a subscription for GraphiQL, which shows the newest event. The events are added to the answers as a stream. */
export function subscription(asked: Asked, answers: Answers | null, source: Source): Observable<ExecutionResult> {
  return {
    subscribe(observer) {
      const { next, error, complete } = observer as Observer;
      const stopped = new AbortController();
      const stream = new Stream(asked);
      answers?.add(stream);
      const show: Show = (result) => {
        if (!stopped.signal.aborted) next(result);
      };
      follow(stream, source, stopped.signal, show).then(
        () => stopped.signal.aborted || complete(),
        (reason: unknown) => stopped.signal.aborted || error(reason),
      );
      return {
        unsubscribe() {
          stream.end("Stopped");
          stopped.abort();
        },
      };
    },
  };
}

/** How often in a row the page tries to connect again: with the pauses, for about a minute. */
export const maxTries = 10;

/** A stream that does not go on. */
class Ended extends Error {
  readonly result: ExecutionResult;
  /** Whether the result is an event. */
  readonly isEvent: boolean;

  constructor(result: ExecutionResult, isEvent: boolean) {
    super("ended");
    this.result = result;
    this.isEvent = isEvent;
  }
}

const lost: ExecutionResult = { errors: [{ message: "The connection was lost before the first event." } as never] };

/** Shows the events until the last one. If the token expires or the connection is lost, the stream continues after its last change. */
async function follow(stream: Stream, source: Source, signal: AbortSignal, show: Show): Promise<void> {
  let began = false;
  let text = ""; // of the newest event
  let refused: ExecutionResult | null = null; // the newest event, if it refuses the token
  /** The `fetch` of `events`, whose request has nothing but the time of the last change: the source has the operation. */
  const connect = async (_url: unknown, { body }: RequestInit = {}): Promise<Response> => {
    if (refused !== null && !(await source.renew())) throw new Ended(refused, true);
    refused = null;
    const { variables } = JSON.parse(String(body)) as { variables: { since?: string } };
    const opened = await source.open(signal, began ? { since: variables.since ?? null } : null);
    if (opened instanceof Response) {
      began = true;
      return readThrough(opened, (read) => read().finally(stream.hear));
    }
    if (began && opened.retryable) throw new TypeError("no stream for now");
    throw new Ended(opened.result, false);
  };
  const parse = (data: string): unknown => {
    const result = parseExact(text = data) as ExecutionResult;
    refused = refusalIn(result) === null ? null : result;
    return result;
  };
  const onRetry = () => {
    if (stream.state.get().tries === maxTries) throw new Ended(lost, false);
    stream.reconnect();
  };
  const add = (result: ExecutionResult) => show(resultOf(stream.add(result, text)));
  try {
    let last: ExecutionResult = {};
    for await (const result of events("", { variables: {} }, { fetch: connect, signal, onRetry, parse })) {
      if (signal.aborted) return;
      refused = null; // the stream continues, or ends here
      add(last = result as ExecutionResult);
    }
    const refusal = refusalIn(last);
    if (refusal !== null) source.refused(refusal);
    stream.end(endOf(last));
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof Ended)) {
      stream.end(`Ended: ${String(error)}`);
      throw error;
    }
    const { result, isEvent } = error;
    if (isEvent) {
      source.refused(refusalIn(result) ?? "");
      add(result);
    }
    if (result === lost) source.lost();
    stream.end(result === lost ? "Ended: the connection was lost. Run it again to continue" : endOf(result));
    if (stream.state.get().count === 0) show(result);
  }
}

/** Why the token was refused; null if it was not. */
export function refusalIn({ errors }: ExecutionResult): string | null {
  return errors?.find((error) => error.extensions?.["code"] === "UNAUTHENTICATED")?.message ?? null;
}

/** Why a stream ended, by its last event. */
function endOf(last: ExecutionResult): string {
  if (liveOf(last)?.reason === "REACHED") return "Ended: a status of “until” was reached";
  const message = last.errors?.[0]?.message;
  return message === undefined ? "Ended by the gateway" : `Ended: ${message}`;
}
