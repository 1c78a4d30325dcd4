import { useContext } from "react";
import { FeesContext } from "../parts/fees.ts";
import { Panel } from "../parts/panel.tsx";
import { Problem } from "../parts/problem.tsx";
import type { Reading } from "../parts/read.ts";
import { list } from "../words/list.ts";
import { parts } from "../words/parts.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { useCompleteText } from "./complete.ts";
import type { ListRoute } from "./query.ts";
import type { Progress, Sums } from "./summing.ts";
import { Figure, figuresOf, useUnitNotes } from "./figure.tsx";
import { Help } from "./help.tsx";
import { SumTables } from "./sumtables.tsx";
import { money } from "../../base/money.ts";
import { hasAllGroups, isFeeMissing, notKept, type Summary } from "./totals.ts";

/** The sums of a list, and whether they are those of the whole list. */
export function SumsPanel({ route, sums, progress }: { route: ListRoute; sums: Reading<Sums> & { stale: boolean }; progress: Progress | null }) {
  const words = useWords(list);
  const { value, error, reading, again, stop, stale } = sums;
  const update = <button type="button" className="button" disabled={reading} onClick={again}>{words.again}</button>;
  return (
    <Panel title={words.sums} aside={value !== undefined && update}>
      <p role="status" className={(value === undefined || stale) && reading ? "reading" : "hidden"}>{reading ? words.summing : ""}</p>
      {reading && isLong(progress) && <Summing route={route} progress={progress} stop={stop} />}
      {error !== null && <Problem error={error} again={again} />}
      {value !== undefined && error === null && <Read route={route} stale={stale} {...value} />}
    </Panel>
  );
}

/** Whether the sums take long enough for their progress to be shown. */
function isLong(progress: Progress | null): progress is Progress {
  return progress !== null && ((progress.of ?? 0) > 10 || progress.of === undefined || progress.waiting !== undefined);
}

/** How far the sums of a long list are. */
function Summing({ route, progress: { pages, of, records, total, waiting }, stop }: { route: ListRoute; progress: Progress; stop: () => void }) {
  const words = useWords(list);
  const { problems } = useWords(parts);
  const locale = useLocale();
  const text = (number: number) => number.toLocaleString(locale);
  const read = words.records[route.kind](total ?? records, total === undefined ? text(records) : words.numberOf(text(records), text(total)));
  return (
    <div className="summing">
      <progress aria-label={words.summing} value={of === undefined ? undefined : pages} max={of} />
      <span>{words.summed(text(pages), of === undefined ? null : text(of), read)}</span>
      <button type="button" className="button" onClick={stop}>{words.stop}</button>
      {waiting !== undefined && <p role="alert">{problems[waiting.code] ?? waiting.code} {words.retrying}</p>}
    </div>
  );
}

function Read({ route, stale, summary, problem }: Sums & { route: ListRoute; stale: boolean }) {
  const words = useWords(list);
  return (
    <div className="sums" aria-busy={stale}>
      {!stale && <State route={route} summary={summary} problem={problem} />}
      <dl className="figures">
        {figuresOf(summary).map((name) => (
          <div key={name}>
            <dt>{words.figures[name]}</dt>
            <dd><Figure name={name} row={summary} /><FigureNote name={name} summary={summary} /></dd>
          </div>
        ))}
      </dl>
      <NotKeptNote summary={summary} />
      {summary.count > 0 && <SumTables route={route} summary={summary} />}
      {!hasAllGroups(summary) && <p>{words.groupLimit}</p>}
      <Help title={words.aboutSums}>{useContext(FeesContext) === "unknown" && words.moneyNote[route.kind]} {route.dayOf !== "refund" && words.refundNote}</Help>
    </div>
  );
}

/** Why a figure is not known, or its unit. */
function FigureNote({ name, summary }: { name: string; summary: Summary }) {
  const words = useWords(list);
  const notes = useUnitNotes();
  const isOfReais = useContext(FeesContext) === "reais"; // then it is not known at all
  const note = name === "netAmount" && isFeeMissing(summary) && !isOfReais ? words.feeMissing : notes[name];
  return note === undefined ? null : <span className="fine">{note}</span>;
}

/** What is in the sums of payments and was not kept. */
function NotKeptNote({ summary }: { summary: Summary }) {
  const words = useWords(list);
  const locale = useLocale();
  if (summary.netAmount === undefined || !hasAllGroups(summary)) return null;
  const { returned, blocked } = notKept(summary);
  if (returned === null && blocked === null) return null;
  const text = (sum: string | null) => money(sum, locale)?.text ?? null;
  return <p>{words.notKept(summary.netAmount !== null, text(returned), text(blocked))}</p>;
}

/** Never a partial sum as if it were the whole. */
function State({ route, summary, problem }: Sums & { route: ListRoute }) {
  const words = useWords(list);
  const common = useWords(parts);
  const locale = useLocale();
  const complete = useCompleteText(route);
  if (summary.complete) return <p className="sums-complete" role="status">{complete}</p>;
  const count = (n: number) => n.toLocaleString(locale);
  const { reason, pagesRead, unreadable } = summary;
  return (
    <div className="problem" role="alert">
      <p><strong>{reason === "COUNT_UNKNOWN" ? words.unknown : words.incomplete}</strong></p>
      <p>{words.reasons[reason ?? ""] ?? reason}</p>
      <p>
        {words.whatWasRead(words.records[route.kind](summary.count, count(summary.count)), words.pages(pagesRead, count(pagesRead)))}
        {unreadable > 0 && ` ${words.unreadable(unreadable, count(unreadable))}`}
      </p>
      {problem !== null && <p title={problem.message}>{common.problems[problem.code] ?? problem.message}</p>}
      {problem !== null && <p className="fine">{common.requestId}: <code>{problem.requestId}</code></p>}
    </div>
  );
}
