import type { Observable } from "@graphiql/toolkit";
import type { ExecutionResult } from "graphql";
import { resultOf } from "../operations/answered.ts";
import type { Answers } from "./answers.ts";
import type { Asked } from "../operations/fields.ts";
import { parseExact } from "../base/exact.ts";
import { changeIn } from "./resume.ts";
import { messagesIn } from "./sse.ts";
import { liveOf, Stream } from "./stream.ts";

/** Where the events of a subscription come from. */
export interface Source {
  /** Requests the subscription. resume is null the first time. */
  open(signal: AbortSignal, resume: Resume | null): Promise<ReadableStream<Uint8Array> | Rejection>;
  /** Gets another token, after the one of the stream was refused. Resolves to whether there is one. */
  renew(): Promise<boolean>;
  /** Reports why the token was refused, if there is no other one. */
  refused(refusal: string): void;
  /** Waits before the nth try to connect again, or until the user stops the stream. */
  pause(tries: number, signal: AbortSignal): Promise<void>;
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

/** Shows the events until the last one. If the token expires or the connection is lost, the stream continues after its last change. */
async function follow(stream: Stream, source: Source, signal: AbortSignal, show: Show): Promise<void> {
  let renewed = false; // since the last event without errors
  let since: string | null = null; // the time of the last change that was shown
  for (let began = false; ; ) {
    const opened = await source.open(signal, began ? { since } : null);
    if (signal.aborted) return;
    if (opened instanceof ReadableStream) {
      began = true;
      const refusal = await read(opened, stream, signal, (result, text) => {
        const refused = refusalIn(result);
        if (refused !== null) return refused;
        renewed = renewed && result.errors !== undefined;
        since = changeIn(result) ?? since;
        show(resultOf(stream.add(result, text)));
        return null;
      });
      if (signal.aborted || stream.state.get().end !== null) return;
      if (refusal !== null) {
        if (!renewed && (await source.renew())) {
          renewed = true;
          continue;
        }
        source.refused(refusal.message);
        show(resultOf(stream.add(refusal.result, refusal.text)));
        stream.end(endOf(refusal.result));
        return;
      }
    } else if (!began || !opened.retryable) {
      stream.end(endOf(opened.result));
      if (stream.state.get().count === 0) show(opened.result);
      return;
    }
    if (stream.state.get().tries === maxTries) break;
    stream.reconnect();
    await source.pause(stream.state.get().tries, signal);
    if (signal.aborted) return;
  }
  source.lost();
  stream.end("Ended: the connection was lost. Run it again to continue");
  if (stream.state.get().count === 0) show({ errors: [{ message: "The connection was lost before the first event." } as never] });
}

interface Refusal {
  message: string;
  result: ExecutionResult;
  text: string;
}

/** Reads a connection to its end, and notes that of the stream. Resolves to the event that take refuses. */
async function read(
  body: ReadableStream<Uint8Array>, stream: Stream, signal: AbortSignal, take: (result: ExecutionResult, text: string) => string | null,
): Promise<Refusal | null> {
  let last: ExecutionResult | null = null;
  let refusal: Refusal | null = null;
  try {
    for await (const { event, data } of messagesIn(body, stream.hear)) {
      if (signal.aborted) return null;
      if (event === "next") {
        last = parseExact(data) as ExecutionResult;
        const message = take(last, data);
        if (message !== null) refusal = { message, result: last, text: data };
      }
      const isEnd = event === "complete" || liveOf(last ?? {})?.final === true;
      if (isEnd && refusal === null) stream.end(endOf(last));
    }
  } catch {
    // the connection was lost, or the user stopped the stream
  }
  return refusal;
}

/** Why the token was refused; null if it was not. */
export function refusalIn({ errors }: ExecutionResult): string | null {
  return errors?.find((error) => error.extensions?.["code"] === "UNAUTHENTICATED")?.message ?? null;
}

/** Why a stream ended, by its last event. */
function endOf(last: ExecutionResult | null): string {
  if (last && liveOf(last)?.reason === "REACHED") return "Ended: a status of “until” was reached";
  const message = last?.errors?.[0]?.message;
  return message === undefined ? "Ended by the gateway" : `Ended: ${message}`;
}
