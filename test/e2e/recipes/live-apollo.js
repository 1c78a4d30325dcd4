import { ApolloLink, Observable } from '@apollo/client';
import { RetryLink } from '@apollo/client/link/retry';
import { delay, isLast, resumed } from './live.js';

const isSubscription = ({ operationType }) => operationType === 'subscription';

// A stream that ends without a last result becomes an error, so that RetryLink begins it again.
const detectEnd = new ApolloLink((operation, forward) => new Observable((observer) => {
  let last = false;
  return forward(operation).subscribe({
    next(result) {
      last = isLast(result);
      if (!last && !result.extensions?.live) return; // refused for now, such as by a full gateway
      operation.variables = resumed(operation.variables, result);
      observer.next(result);
    },
    error: (error) => observer.error(error),
    complete: () => (last ? observer.complete() : observer.error(new Error('the stream ended'))),
  });
}));

/** The links before the HttpLink. */
export const comeBack = () => ApolloLink.split(isSubscription, ApolloLink.from([
  new RetryLink({
    attempts: (count, operation, error) => !(error.statusCode >= 400 && error.statusCode < 500),
    delay: (count) => delay(count - 1),
  }),
  detectEnd,
]));
