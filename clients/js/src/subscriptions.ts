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

/** The token that a client manages itself. */
export interface Token {
  /** Is called when an API has refused it, and returns what to do before the subscription begins again. */
  refused(): () => void;
  /** Whether an error of the client says that the gateway has refused it. */
  refusedBy(error: unknown): boolean;
}

const none: Token = { refused: () => () => {}, refusedBy: () => false };

/**
 * Returns the client, whose subscriptions continue after their last change when it connects again. They begin again if
 * they were refused only for now, or because of their token. Its `iterate` does not resume.
 */
export function resuming<Client extends SubscriptionClient>(client: Client, token: Token = none): Client {
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
      const again = (prepare?: () => void) => end(() => {
        timer = setTimeout(() => {
          prepare?.();
          begin();
        }, resumption.pause());
      });
      const stop = client.subscribe(current, {
        next(value) {
          if (over) return;
          const result = value as Result;
          const step = resumption.take(result);
          current.variables = resumption.variables;
          if (step === 'again') return again(result.extensions?.live && token.refused());
          sink.next(result);
          if (step === 'last') end(() => sink.complete());
        },
        error(error) {
          // An array has errors of GraphQL; the client retries after others, and reports those that are fatal.
          const later = Array.isArray(error) && resumption.take({ errors: error as FormattedError[] }) === 'again';
          if (later || token.refusedBy(error) && resumption.refuse()) again();
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
