import { useMemo } from "react";
import type { DepositRow, WithdrawalRow } from "../rows/rowdata.ts";
import { DepositRows, WithdrawalRows } from "../rows/rows.tsx";
import { dayText } from "../parts/moment.tsx";
import { Empty, Panel, Read } from "../parts/panel.tsx";
import { useReading } from "../parts/read.ts";
import type { Page } from "../pages.ts";
import { hrefOf } from "../route.ts";
import { list } from "../words/list.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { useKept } from "./kept.ts";
import { pageOf, readMatching, type Matching } from "./matching.ts";
import { createdSince, statusOf } from "./query.ts";
import { Paging } from "./paging.tsx";
import { daysKey, pageKey, readRows, sumsKey, type Row, type View } from "./reading.ts";
import { CodesNote, TimeNote } from "./rownotes.tsx";

/** The rows of a list, a page at a time. */
export function RowsPanel({ route, ...view }: View) {
  const words = useWords(list);
  return (
    <Panel title={words.list}>
      {route.dayOf === undefined ? <PageOfList {...view} route={route} /> : <Selected {...view} route={route} />}
    </Panel>
  );
}

function PageOfList({ config, gateway, route }: View) {
  const words = useWords(list);
  const reading = useReading(pageKey(route), (signal) => readRows(gateway, config, route, signal));
  return (
    <>
      {!config.pageNumber && <p className="fine">{words.onlyFirst}</p>}
      <Read reading={useKept(reading, daysKey(route))}>
        {(page) => <Rows config={config} gateway={gateway} route={route} page={page} changeable={config.pageNumber} busy={reading.reading} />}
      </Read>
    </>
  );
}

/** The rows of other days than those of creation, which the page selects among more records. */
function Selected({ config, gateway, route }: View) {
  const reading = useReading(sumsKey(route), (signal) => readMatching(gateway, route, signal));
  return (
    <Read reading={useKept(reading, daysKey(route))}>
      {(matching) => <Matches config={config} gateway={gateway} route={route} matching={matching} busy={reading.reading} />}
    </Read>
  );
}

function Matches({ matching, route, busy, ...view }: View & { matching: Matching; busy: boolean }) {
  const words = useWords(list);
  const locale = useLocale();
  const page = useMemo(() => pageOf(matching, route.page), [matching, route.page]);
  const { read, unreadable, complete, reason } = matching;
  const text = (n: number) => n.toLocaleString(locale);
  const among = words.among(words.records[route.kind](read, text(read)), dayText(createdSince(route), locale));
  return (
    <>
      <p className={complete ? "fine" : "problem"}>
        {among} {!complete && <>{words.notWhole} {words.reasons[reason ?? ""] ?? reason}</>} {unreadable > 0 && words.unreadable(unreadable, text(unreadable))}
      </p>
      <Rows {...view} route={route} page={page} changeable busy={busy} />
    </>
  );
}

interface RowsProps extends View {
  page: Page<Row>;
  /** Whether the gateway can request other pages. */
  changeable: boolean;
  /** Whether the next rows are being read. */
  busy: boolean;
}

function Rows({ config, gateway, route, page, changeable, busy }: RowsProps) {
  const words = useWords(list);
  const hooks = {
    gateway, config,
    note: (row: DepositRow | WithdrawalRow) => <CodesNote route={route} row={row as Row} />,
    timeNote: (row: DepositRow | WithdrawalRow) => <TimeNote route={route} row={row as Row} />,
  };
  const { nodes, totalCount = 0, pageInfo } = page;
  // An API may have an empty page before others, or one of a list in which it counts records.
  if (nodes.length === 0 && !pageInfo.hasNextPage && (route.page > 1 || totalCount === 0)) {
    return (
      <Empty>
        {route.page > 1 ? words.emptyPage : route.dayOf !== undefined ? words.emptyDate : statusOf(route) !== null ? words.emptyStatus : words.empty[route.kind]}
        {route.page > 1 && <> <a href={hrefOf({ ...route, page: 1 })}>{words.firstPage}</a></>}
      </Empty>
    );
  }
  return (
    <div className="rows" aria-busy={busy}>
      <Paging route={route} page={page} changeable={changeable} top />
      {route.kind === "deposits"
        ? <DepositRows rows={nodes as (DepositRow | null)[]} {...hooks} />
        : <WithdrawalRows rows={nodes as (WithdrawalRow | null)[]} {...hooks} />}
      <Paging route={route} page={page} changeable={changeable} />
    </div>
  );
}
