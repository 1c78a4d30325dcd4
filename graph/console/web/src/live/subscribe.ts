import type { Observable } from "@graphiql/toolkit";
import type { ExecutionResult } from "graphql";
import { resultOf, type Answers } from "../answer/answers.ts";
import { parseExact } from "../exact.ts";
import { messagesIn } from "./sse.ts";
import { liveOf, Stream } from "./stream.ts";

/** Where the events of a subscription come from. */
export interface Source {
  /** Requests the subscription. Resolves to its events, or to the result to show if it does not begin. */
  open(signal: AbortSignal): Promise<ReadableStream<Uint8Array> | ExecutionResult>;
  /** Gets another token, after the one of the stream was refused. Resolves to whether there is one. */
  renew(refusal: string): Promise<boolean>;
  /** Reports that the connection ended before the last event. */
  lost(): void;
}

/** What GraphiQL passes to subscribe. */
interface Observer {
  next(result: ExecutionResult): void;
  error(reason: unknown): void;
  complete(): void;
}

type Show = (result: ExecutionResult) => void;

/** Runs a subscription for GraphiQL, which shows the newest event. The events are added to the answers as a stream. */
export function subscription(query: string, answers: Answers | null, source: Source): Observable<ExecutionResult> {
  return {
    subscribe(observer) {
      const { next, error, complete } = observer as Observer;
      const stopped = new AbortController();
      const stream = new Stream(query);
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

/** Shows the events until the last one. If the token expires, the stream continues with another one. */
async function follow(stream: Stream, source: Source, signal: AbortSignal, show: Show): Promise<void> {
  let renewed = false; // since the last event without errors
  for (;;) {
    const opened = await source.open(signal);
    if (signal.aborted) return;
    if (!(opened instanceof ReadableStream)) {
      stream.end(endOf(opened));
      show(opened);
      return;
    }
    const refusal = await read(opened, stream, signal, (result, text) => {
      const refused = refusalIn(result);
      if (refused !== null && !renewed) return refused;
      renewed = renewed && result.errors !== undefined;
      show(resultOf(stream.add(result, text)));
      return null;
    });
    if (refusal === null || signal.aborted) break;
    renewed = true;
    if (await source.renew(refusal.message)) continue;
    show(resultOf(stream.add(refusal.result, refusal.text)));
    stream.end(endOf(refusal.result));
    return;
  }
  if (stream.state.get().end === null && !signal.aborted) {
    source.lost();
    stream.end("Ended: the connection was lost. Run it again to continue");
    if (stream.state.get().count === 0) show({ errors: [{ message: "The connection was lost before the first event." } as never] });
  }
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
