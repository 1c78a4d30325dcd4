import { useState, type FormEvent } from "react";
import { Failure, useRead, type Ask } from "../ask.ts";
import { localTime, reais } from "../format.ts";
import { ReadStatus } from "../readstatus.tsx";
import { depositsDocument, type Deposits } from "./documents.ts";
import { emptySearch, filterOf, type Search } from "./filter.ts";

interface Page {
  deposits: Deposits;
  number: number;
  filter: Record<string, unknown>;
}

/** Finds a deposit by amount and time. The user picks one from a table. */
export function DepositPicker({ ask, pages, pick }: { ask: Ask; pages: boolean; pick: (id: string) => void }) {
  const [search, setSearch] = useState<Search>(emptySearch);
  const [state, read] = useRead<Page>();
  const page = state.value;
  const show = (number: number, filter: () => Record<string, unknown>) =>
    read(async () => {
      const wanted = filter();
      // Without its parameter only the first page can be requested.
      const variables = { filter: wanted, page: number > 1 ? number : null };
      const { data, errors } = await ask<{ deposits: Deposits | null }>(depositsDocument, variables);
      if (!data?.deposits) throw Failure.of(errors);
      return { deposits: data.deposits, number, filter: wanted };
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    show(1, () => filterOf(search));
  };
  const input = (name: keyof Search, type: string, label: string) => (
    <label>
      {label}
      <input type={type} autoComplete="off" value={search[name]} onChange={(event) => setSearch({ ...search, [name]: event.target.value })} />
    </label>
  );
  return (
    <section aria-label="Find a deposit">
      <h3>Or pick a deposit</h3>
      <form className="console-form" onSubmit={submit}>
        {input("amount", "text", "Amount in R$")}
        {input("from", "datetime-local", "From")}
        {input("to", "datetime-local", "Until")}
        <button type="submit" className="console-button">Show deposits</button>
      </form>
      <ReadStatus {...state} />
      <div role="status">{page && <p>{foundOf(page, pages)}</p>}</div>
      {page && <DepositTable deposits={page.deposits} pick={pick} />}
      {page && pages && page.deposits.pageInfo.hasNextPage && (
        <button type="button" className="console-button" onClick={() => show(page.number + 1, () => page.filter)}>Next page</button>
      )}
    </section>
  );
}

function foundOf({ deposits, number }: Page, pages: boolean): string {
  const more = deposits.pageInfo.hasNextPage && !pages ? " Only the first page can be read: paging_page_param is not set." : "";
  const count = deposits.nodes.length;
  return `Page ${number}: ${count} ${count === 1 ? "deposit" : "deposits"}.${more}`;
}

function DepositTable({ deposits, pick }: { deposits: Deposits; pick: (id: string) => void }) {
  const nodes = deposits.nodes.filter((deposit) => deposit !== null);
  if (nodes.length === 0) return null;
  return (
    <div className="console-scroll" tabIndex={0} role="region" aria-label="Deposits">
      <table>
        <thead>
          <tr>
            <th scope="col">Webhooks</th>
            <th scope="col">Created</th>
            <th scope="col">Amount</th>
            <th scope="col">Status</th>
            <th scope="col">Payer</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map(({ id, createdAt, amount, statusRaw, payer }) => (
            <tr key={id}>
              <td>
                <button type="button" className="console-button" onClick={() => pick(id)} aria-label={`Show the webhooks of deposit ${id}`}>
                  Show
                </button>
              </td>
              <td>{localTime(createdAt) ?? createdAt}</td>
              <td>{reais(amount)}</td>
              <td>{statusRaw}</td>
              <td>{payer?.name}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
