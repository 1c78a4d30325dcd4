import { useEffect, useState } from "react";
import { CopyButton } from "../parts/copy.tsx";
import { dayText, daysText } from "../parts/moment.tsx";
import { useToday } from "../parts/today.ts";
import { goTo, hrefOf, type DayOf, type Days } from "../route.ts";
import { list } from "../words/list.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { DayInput } from "./dayinput.tsx";
import { Help } from "./help.tsx";
import { periodNames, periodsOf, sameDays, type Refusal } from "./periods.ts";
import { befores, createdSince, dateField, defaultBefore, statusOf, type ListRoute } from "./query.ts";
import { StatusFilter } from "./statusfilter.tsx";

const choices: (DayOf | undefined)[] = [undefined, "payment", "refund"];

/** Which records are listed: their days, which date these are of, and their status. It is in the URL, so that a link shows the same. */
export function Period({ route }: { route: ListRoute }) {
  const words = useWords(list);
  const locale = useLocale();
  const { kind, days, dayOf, createdBefore = defaultBefore } = route;
  const today = useToday();
  const periods = periodsOf(today);
  const [refusal, refuse] = useState<Refusal | null>(null);
  useEffect(() => refuse(null), [days.from, days.to]);
  const show = (change: Partial<ListRoute>) => goTo({ ...route, page: 1, ...change });
  const changeBy = (value: DayOf | undefined) => {
    const { dayOf: _, createdBefore: before, ...rest } = route;
    goTo({ ...rest, page: 1, ...(value && { dayOf: value, ...(before && { createdBefore: before }) }) });
  };
  return (
    <>
      <div className="period">
        <div className="buttons">
          {periodNames.map((name) => (
            <button key={name} type="button" className="button" aria-pressed={sameDays(periods[name], days)} onClick={() => show({ days: periods[name] })}>
              {words.periods[name]}
            </button>
          ))}
        </div>
        <div className="period-dates">
          <DayInput label={words.from} day={days.from} max={today} refuse={refuse} choose={(from) => show({ days: spanned(days, { from }) })} />
          <DayInput label={words.to} day={days.to} max={today} refuse={refuse} choose={(to) => show({ days: spanned(days, { to }) })} />
          <label className="field">
            {words.dayOf}
            <select value={dayOf ?? ""} onChange={(event) => changeBy(choices.find((choice) => choice === event.target.value))}>
              {choices.map((choice) => <option key={choice ?? ""} value={choice ?? ""}>{words.dates[dateField(kind, choice)]}</option>)}
            </select>
          </label>
          {dayOf !== undefined && (
            <label className="field">
              {words.before}
              <select value={createdBefore} onChange={(event) => show({ createdBefore: Number(event.target.value) })}>
                {[...new Set<number>([...befores, createdBefore])].map((count) => <option key={count} value={count}>{words.daysBefore(count)}</option>)}
              </select>
            </label>
          )}
          <StatusFilter route={route} />
          <span className="period-link">
            <CopyButton text={location.href.split("#")[0] + hrefOf(route)} what={words.link}>{words.copyLink}</CopyButton>
          </span>
        </div>
        {refusal !== null && <p role="alert" className="period-refused">{words.refusals[refusal]} {words.listStays(daysText(days, locale))}</p>}
      </div>
      {route.status !== null && statusOf(route) === null && <p className="period-status">{words.unknownStatus(route.status.slice(0, 60))}</p>}
      {dayOf !== undefined && <p>{words.windowNote[kind](words.dates[dateField(kind, dayOf)] ?? "", dayText(createdSince(route), locale))}</p>}
      <Help title={words.aboutDates}>{words.filterNote}</Help>
    </>
  );
}

/** A span with another first or last day. The other end moves with it if it would be on the wrong side. */
function spanned(days: Days, { from = days.from, to = days.to }: Partial<Days>): Days {
  if (from <= to) return { from, to };
  return from === days.from ? { from: to, to } : { from, to: from };
}
