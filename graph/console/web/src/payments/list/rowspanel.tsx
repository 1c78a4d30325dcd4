import type { DepositRow, WithdrawalRow } from "../find/rowdata.ts";
import { DepositRows, WithdrawalRows } from "../find/rows.tsx";
import { Empty, Panel, Read } from "../parts/panel.tsx";
import { useReading } from "../parts/read.ts";
import { goTo, hrefOf } from "../route.ts";
import type { View } from "../shell/page.tsx";
import { list } from "../words/list.ts";
import { parts } from "../words/parts.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { statusesOf, type ListRoute } from "./query.ts";
import { countsAgree, pageKey, readPage, type Page, type Row } from "./reading.ts";

/** The rows of a list, a page at a time, filtered by status. */
export function RowsPanel({ config, gateway, route }: View & { route: ListRoute }) {
  const words = useWords(list);
  const reading = useReading(pageKey(route), (signal) => readPage(gateway, config, route, signal));
  const unknown = route.status !== null && !statusesOf[route.kind].includes(route.status);
  return (
    <Panel title={words.list} aside={<StatusFilter route={route} />}>
      {!config.pageNumber && <p className="fine">{words.onlyFirst}</p>}
      {unknown && <p className="fine">{words.unknownStatus(route.status ?? "")}</p>}
      <Read reading={reading}>{(page) => <Rows config={config} gateway={gateway} route={route} page={page} />}</Read>
    </Panel>
  );
}

function StatusFilter({ route }: { route: ListRoute }) {
  const words = useWords(list);
  const { statuses } = useWords(parts);
  return (
    <label className="field">
      {words.statusFilter}
      <select value={route.status ?? ""} onChange={(event) => goTo({ ...route, status: event.target.value || null, page: 1 })}>
        <option value="">{words.anyStatus}</option>
        {statusesOf[route.kind].map((status) => <option key={status} value={status}>{statuses[status] ?? status}</option>)}
      </select>
    </label>
  );
}

const codeOf = (row: DepositRow | WithdrawalRow) => (row as Row).externalCode;

function Rows({ config, gateway, route, page }: View & { route: ListRoute; page: Page }) {
  const words = useWords(list);
  const { nodes } = page;
  if (nodes.length === 0) {
    return (
      <Empty>
        {route.page > 1 ? words.emptyPage : route.status !== null ? words.emptyStatus : words.empty[route.kind]}
        {route.page > 1 && <> <a href={hrefOf({ ...route, page: 1 })}>{words.firstPage}</a></>}
      </Empty>
    );
  }
  return (
    <>
      <Paging route={route} page={page} changeable={config.pageNumber} top />
      {route.kind === "deposits"
        ? <DepositRows rows={nodes as (DepositRow | null)[]} gateway={gateway} config={config} note={codeOf} />
        : <WithdrawalRows rows={nodes as (WithdrawalRow | null)[]} gateway={gateway} config={config} note={codeOf} />}
      <Paging route={route} page={page} changeable={config.pageNumber} />
    </>
  );
}

/** Where the page is in the list, above the rows, and the ways to its neighbours, also below. */
function Paging({ route, page, changeable, top = false }: { route: ListRoute; page: Page; changeable: boolean; top?: boolean }) {
  const words = useWords(list);
  const locale = useLocale();
  const text = (n: number) => n.toLocaleString(locale);
  const records = words.records[route.kind](page.totalCount, text(page.totalCount));
  const agree = countsAgree(page);
  const { hasNextPage } = page.pageInfo;
  const place = agree ? words.pageOf(text(page.currentPage), text(page.totalPages)) : words.page(text(page.currentPage));
  return (
    <nav className="paging" aria-label={words.paging}>
      <p role={top ? "status" : undefined}>{place}, {agree ? records : words.contradictory(records)}</p>
      {changeable && (route.page > 1 || hasNextPage) && (
        <div className="buttons">
          <button type="button" className="button" disabled={route.page === 1} onClick={() => goTo({ ...route, page: route.page - 1 })}>{words.previous}</button>
          <button type="button" className="button" disabled={!hasNextPage} onClick={() => goTo({ ...route, page: route.page + 1 })}>{words.next}</button>
        </div>
      )}
    </nav>
  );
}
