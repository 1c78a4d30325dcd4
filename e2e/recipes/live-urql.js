import { delay, isLast, resumed } from './live.js';

/**
 * Calls `next` with each result of a subscription until the last one, and returns a function that stops it. The client needs
 * `fetchSubscriptions: true`.
 */
export function watch(client, query, variables, next) {
  let retries = 0;
  let retry;
  let subscription;
  function begin() {
    let last = false;
    subscription = client.subscription(query, variables).subscribe((result) => {
      const { data, error, extensions, hasNext } = result;
      const done = isLast({ errors: error?.graphQLErrors, extensions });
      if (hasNext && (done || extensions?.live)) {
        last = done;
        next(result);
        variables = resumed(variables, result);
        if (data) retries = 0;
      } else if (!last) { // the stream ended, or was refused for now
        clearTimeout(retry);
        retry = setTimeout(begin, delay(retries++));
      }
    });
  }
  begin();
  return () => {
    clearTimeout(retry);
    subscription.unsubscribe();
  };
}
