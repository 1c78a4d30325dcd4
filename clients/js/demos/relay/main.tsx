// Relay with React.

import { type ReactNode, Suspense, useMemo, useState } from 'react';
import type { Live } from 'pixgraph-client';
import { fetchFunction, getDataID, missingFieldHandlers, subscribeFunction } from 'pixgraph-client/relay';
import { RelayEnvironmentProvider, graphql, useLazyLoadQuery, useSubscription } from 'react-relay';
import { Environment, Network, RecordSource, Store } from 'relay-runtime';
import { send, until, url } from '../session.js';
import { Deposits, PaymentPage, Problem, start } from '../view.js';
import type { mainListQuery } from './__generated__/mainListQuery.graphql';
import type { mainWatchSubscription } from './__generated__/mainWatchSubscription.graphql';

const environment = new Environment({
  network: Network.create(fetchFunction(url, send), subscribeFunction(url, send)),
  store: new Store(new RecordSource()),
  getDataID,
  missingFieldHandlers,
});

const list = graphql`
  query mainListQuery($first: Int!) {
    deposits(first: $first) @catch(to: RESULT) { nodes { id amount status statusRaw } }
  }
`;

const watch = graphql`
  subscription mainWatchSubscription($id: ID!, $until: [TransactionStatus!], $since: DateTime) {
    transaction(id: $id, until: $until, since: $since) @catch(to: RESULT) { id amount status statusRaw updatedAt }
  }
`;

function List(): ReactNode {
  const { deposits } = useLazyLoadQuery<mainListQuery>(list, { first: 10 });
  return (
    <>
      <Problem error={deposits.ok ? undefined : deposits.errors} />
      <Deposits rows={(deposits.ok && deposits.value?.nodes) || []} />
    </>
  );
}

function Watch({ id }: { id: string }): ReactNode {
  const [shown, setShown] = useState<mainWatchSubscription['response']['transaction']>();
  const [live, setLive] = useState<Live>();
  const [error, setError] = useState<Error>();
  useSubscription<mainWatchSubscription>(useMemo(() => ({
    subscription: watch,
    variables: { id, until },
    cacheConfig: { metadata: { onLive: setLive } },
    onNext: (data) => setShown(data?.transaction),
    onError: setError,
  }), [id]));
  return (
    <>
      <Problem error={error ?? (shown?.ok === false ? shown.errors : undefined)} />
      <PaymentPage payment={shown?.ok ? shown.value : undefined} live={live} />
    </>
  );
}

start({
  List,
  Watch,
  Provider: ({ children }) => (
    <RelayEnvironmentProvider environment={environment}>
      <Suspense fallback="loading">{children}</Suspense>
    </RelayEnvironmentProvider>
  ),
});
