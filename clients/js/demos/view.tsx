// What the demo applications show: a list of deposits, and a payment as it changes.

import { StrictMode, type ReactNode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Live } from 'pixgraph-client';
import { codeOf } from 'pixgraph-client/errors';
import { formatBRL } from 'pixgraph-client/money';

/** A deposit or a transaction. */
export interface Payment {
  readonly id: string;
  readonly amount: number;
  readonly status: string;
  readonly statusRaw: string;
}

/** A row for each deposit; a record that cannot be read is null. */
export const Deposits = ({ rows }: { rows: readonly (Payment | null | undefined)[] }): ReactNode => (
  <ul>
    {rows.map((row, i) => row
      ? <li key={row.id}><a href={`#${row.id}`}>{formatBRL(row.amount)}</a> {statusOf(row)}</li>
      : <li key={i}>unreadable</li>)}
  </ul>
);

/** A payment, why it is shown, and whether the page still waits for a change. */
export const PaymentPage = ({ payment, live }: {
  payment: Payment | null | undefined;
  live: Live | undefined;
}): ReactNode => (
  <section>
    <p>{payment && formatBRL(payment.amount)} <output>{payment ? statusOf(payment) : 'loading'}</output></p>
    <p data-reason={live?.reason}>{live?.final ? 'done' : 'waiting for a change'}</p>
    <a href="#">all deposits</a>
  </section>
);

/** Why something is missing. */
export const Problem = ({ error }: { error: unknown }): ReactNode =>
  (error ? <p role="alert">{codeOf(error) ?? 'offline'}</p> : null);

/** The status; UNKNOWN is one that the schema lacks, whose text is in `statusRaw`. */
const statusOf = ({ status, statusRaw }: Payment): string => (status === 'UNKNOWN' ? statusRaw : status);

/** Shows the list, or the payment whose id is in the hash of the URL. */
export function start({ List, Watch, Provider }: {
  List: () => ReactNode;
  Watch: (props: { id: string }) => ReactNode;
  Provider: (props: { children: ReactNode }) => ReactNode;
}): void {
  function App(): ReactNode {
    const [id, setID] = useState(location.hash.slice(1));
    useEffect(() => {
      const changed = () => setID(location.hash.slice(1));
      addEventListener('hashchange', changed);
      return () => removeEventListener('hashchange', changed);
    }, []);
    return id ? <Watch key={id} id={id} /> : <List />;
  }
  createRoot(document.getElementById('root')!).render(<StrictMode><Provider><App /></Provider></StrictMode>);
}
