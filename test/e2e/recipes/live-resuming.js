import { delay, isLast, resumed } from './live.js';

/** A client of graphql-sse or graphql-ws. When it connects again, its subscriptions continue after their last change. */
export const resuming = (client) => ({
  ...client,
  subscribe(request, sink) {
    const current = { ...request }; // the client sends it again as it is then
    let retries = 0;
    let retry;
    let stop;
    function begin() {
      stop = client.subscribe(current, {
        next(result) {
          current.variables = resumed(current.variables, result);
          if (result.data) retries = 0;
          sink.next(result);
        },
        error(error) {
          const refused = Array.isArray(error); // with errors of GraphQL
          if (refused && !isLast({ errors: error })) retry = setTimeout(begin, delay(retries++)); // only for now
          else sink.error(error);
        },
        complete: () => sink.complete(),
      });
    }
    begin();
    return () => {
      clearTimeout(retry);
      stop();
    };
  },
});
