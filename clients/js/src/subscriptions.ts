// Clients of graphql-sse and graphql-ws whose subscriptions resume.

import { isUnauthenticated } from './errors.js';
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
  /** Is called when an API has rejected the token, and returns what to do before the next attempt. */
  onRejected(): () => void;
  /** Whether an error of the client says that the gateway has rejected the token, and it can be renewed. */
  isRejectedBy(error: unknown): boolean;
}

/** For a client whose `fetch` renews the token. */
const unmanaged: Token = { onRejected: () => () => {}, isRejectedBy: () => false };

/**
 * Returns the client with a `subscribe` that resumes. When the client reconnects, the subscription continues after its
 * last change. If the gateway rejects it temporarily, or because of its token, it subscribes again. `iterate` does not
 * resume.
 */
export function resuming<Client extends SubscriptionClient>(client: Client, token: Token = unmanaged): Client {
  function subscribe(request: Request, sink: Sink): () => void {
    const watches = isSubscription(request.query);
    const current = { ...request }; // when the client reconnects, it sends this object with its current variables
    const resumption = new Resumption(current.variables);
    let timer: ReturnType<typeof setTimeout>;
    let cancel: () => void;
    function begin() {
      let ended = false; // the client may call the sink also after it is stopped
      function end(report?: () => void) {
        if (ended) return;
        ended = true;
        // In a microtask: graphql-ws would release the subscription twice if `complete` arrived with this message.
        queueMicrotask(() => stop());
        report?.();
      }
      cancel = () => end();
      const resubscribe = (prepare?: () => void) => end(() => {
        timer = setTimeout(() => {
          prepare?.();
          begin();
        }, resumption.pause());
      });
      const stop = client.subscribe(current, {
        next(value) {
          if (ended) return;
          const result = value as Result;
          const step = watches || result.data == null ? resumption.take(result) : 'next';
          current.variables = resumption.variables;
          if (step === 'resubscribe') return resubscribe(isUnauthenticated(result) ? token.onRejected() : undefined);
          try {
            sink.next(result);
          } catch (thrown) {
            return end(() => sink.error(thrown)); // graphql-ws would close the connection of all subscriptions
          }
          if (step === 'last') end(() => sink.complete());
        },
        error(error) {
          // An array is a list of GraphQL errors. Other errors arrive here only if the client does not retry them.
          const errors = Array.isArray(error) ? error as FormattedError[] : undefined;
          const isTemporary = errors && resumption.take({ errors }) === 'resubscribe';
          if (isTemporary || token.isRejectedBy(error) && resumption.rejectToken()) resubscribe();
          else end(() => sink.error(error));
        },
        // A router completes a stream also when it has lost the gateway.
        complete: () => (watches ? resubscribe() : end(() => sink.complete())),
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

/** Whether the operation of a document is a subscription: the keyword is outside of all braces. */
function isSubscription(query: string): boolean {
  let text = query.replace(/"""[^]*?"""|"(?:\\.|[^"\\\n])*"|#.*/g, '');
  for (let rest = ''; rest !== text;) [rest, text] = [text, text.replace(/\{[^{}]*\}/g, ' ')];
  return /(^|\s)subscription\b/.test(text);
}
