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
 * Returns the client, whose subscriptions continue after their last change when it connects again. They begin again if they were
 * refused only for now, or because of their token; `refused` is called then.
 */
export function resuming<Client extends SubscriptionClient>(client: Client, refused: () => void = () => {}): Client {
  function subscribe(request: Request, sink: Sink): () => void {
    const current = { ...request }; // the client sends it again as it is then
    const resumption = new Resumption(current.variables);
    let timer: ReturnType<typeof setTimeout>;
    let stop: () => void;
    function begin() {
      let over = false; // the client calls the sink also after stop
      const end = (report?: () => void) => {
        if (!over) report?.();
        over = true;
      };
      const again = () => end(() => {
        timer = setTimeout(begin, resumption.pause());
        stop();
      });
      stop = client.subscribe(current, {
        next(value) {
          if (over) return;
          const result = value as Result;
          const step = resumption.take(result);
          current.variables = resumption.variables;
          if (step === 'again') {
            if (result.extensions?.live) refused();
            again();
            return;
          }
          sink.next(result);
          if (step === 'last') end(() => {
            stop();
            sink.complete();
          });
        },
        error(error) {
          // An array has errors of GraphQL; the client retries after others, and reports those that are fatal.
          const rejected = Array.isArray(error) && resumption.take({ errors: error as FormattedError[] }) === 'again';
          if (rejected) again();
          else end(() => sink.error(error));
        },
        complete: () => end(() => sink.complete()),
      });
    }
    begin();
    return () => {
      clearTimeout(timer);
      stop();
    };
  }
  return { ...client, subscribe };
}
