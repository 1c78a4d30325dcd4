// Clients of graphql-sse and graphql-ws whose subscriptions resume.

import type { FormattedError, Result } from './result.js';
import { Resumption } from './resume.js';

/** What the clients of graphql-sse and graphql-ws have in common. */
export interface SubscriptionClient {
  subscribe(request: Request, sink: Sink): () => void;
}

interface Request {
  query: string;
  variables?: Record<string, unknown> | null | undefined;
}

interface Sink {
  next(result: unknown): void;
  error(error: unknown): void;
  complete(): void;
}

/**
 * Returns the client, whose subscriptions continue after their last change when it connects again. They begin again if
 * they were refused only for now, or because of their token; `refused` is called then. Its `iterate` does not resume.
 */
export function resuming<Client extends SubscriptionClient>(client: Client, refused: () => void = () => {}): Client {
  function subscribe(request: Request, sink: Sink): () => void {
    const current = { ...request }; // the client sends it again as it is then
    const resumption = new Resumption(current.variables);
    let timer: ReturnType<typeof setTimeout>;
    let cancel: () => void;
    function begin() {
      let over = false; // the client may call the sink also after it is stopped
      function end(report?: () => void) {
        if (over) return;
        over = true;
        // Not at once: graphql-ws would release the subscription twice if its `complete` arrives with this message.
        queueMicrotask(() => stop());
        report?.();
      }
      cancel = () => end();
      const again = (isRefused: boolean) => end(() => {
        timer = setTimeout(() => {
          if (isRefused) refused();
          begin();
        }, resumption.pause());
      });
      const stop = client.subscribe(current, {
        next(value) {
          if (over) return;
          const result = value as Result;
          const step = resumption.take(result);
          current.variables = resumption.variables;
          if (step === 'again') return again(result.extensions?.live !== undefined);
          sink.next(result);
          if (step === 'last') end(() => sink.complete());
        },
        error(error) {
          // An array has errors of GraphQL; the client retries after others, and reports those that are fatal.
          if (Array.isArray(error) && resumption.take({ errors: error as FormattedError[] }) === 'again') again(false);
          else end(() => sink.error(error));
        },
        complete: () => end(() => sink.complete()),
      });
    }
    begin();
    return () => {
      clearTimeout(timer);
      cancel();
    };
  }
  return { ...client, subscribe };
}
