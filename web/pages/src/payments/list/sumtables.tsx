import type { ReactNode } from "react";
import { Status } from "../parts/status.tsx";
import { hrefOf } from "../route.ts";
import { list } from "../words/list.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { Figure, FigureHeads, figuresOf } from "./figure.tsx";
import { useNarrow } from "./narrow.ts";
import { shortDay } from "./periods.ts";
import { statusesOf, type ListRoute } from "./query.ts";
import { byDay, byStatus, type Row, type Summary } from "./totals.ts";

/** More days than these are opened on request, so that the rows of the list are not far below them. */
const fewDays = 7;

/** The sums by status, and by day if there are several. A status and a day lead to their list. On a phone they are opened on request. */
export function SumTables({ route, summary }: { route: ListRoute; summary: Summary }) {
  const words = useWords(list);
  const locale = useLocale();
  const narrow = useNarrow();
  const status = ({ key }: Row) => {
    if (key === null) return words.noDay;
    const label = <Status status={key} />;
    return statusesOf[route.kind].includes(key) ? <a className="plain" href={hrefOf({ ...route, status: key, page: 1 })}>{label}</a> : label;
  };
  const day = ({ key }: Row) => {
    if (key === null) return words.noDay;
    return <a href={hrefOf({ ...route, days: { from: key, to: key }, page: 1 })}><time dateTime={key} title={key}>{shortDay(key, locale)}</time></a>;
  };
  const several = route.days.from !== route.days.to;
  const days = byDay(summary);
  const folded = !narrow && days.length > fewDays ? words.days(days.length) : undefined;
  const tables = (
    <>
      <Table title={words.byStatus} first={words.status} rows={byStatus(summary)} summary={summary} head={status} />
      {several && <Table title={words.byDay} first={words.dayColumn} rows={days} summary={summary} head={day} folded={folded} />}
    </>
  );
  if (!narrow) return tables;
  return (
    <details className="sums-tables">
      <summary>{several ? words.byStatusAndDay : words.byStatus}</summary>
      {tables}
    </details>
  );
}

interface TableProps {
  title: string;
  first: string;
  rows: Row[];
  summary: Summary;
  head: (row: Row) => ReactNode;
  /** What opens the table; without it, it is open. */
  folded?: string | undefined;
}

function Table({ title, first, rows, summary, head, folded }: TableProps) {
  const words = useWords(list);
  const names = figuresOf(summary);
  const cells = (row: Row | Summary) => names.map((name) => (
    <td key={name} className="number" data-label={words.figures[name]}><Figure name={name} row={row} /></td>
  ));
  const table = (
    <div className="table-scroll" tabIndex={0} role="group" aria-label={title}>
      <table className="cards">
        <FigureHeads names={names} first={first} />
        <tbody>
          {rows.map((row) => <tr key={row.key}><th scope="row">{head(row)}</th>{cells(row)}</tr>)}
        </tbody>
        <tfoot>
          <tr><th scope="row">{words.total}</th>{cells(summary)}</tr>
        </tfoot>
      </table>
    </div>
  );
  return (
    <section className="sums-table" aria-label={title}>
      <h3>{title}</h3>
      {folded === undefined ? table : <details><summary>{folded}</summary>{table}</details>}
    </section>
  );
}
