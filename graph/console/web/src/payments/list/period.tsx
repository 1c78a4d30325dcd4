import { useEffect, useRef } from "react";
import { CopyButton } from "../parts/copy.tsx";
import { dayText } from "../parts/moment.tsx";
import { goTo, hrefOf, isDay, type DayOf, type Days } from "../route.ts";
import { list } from "../words/list.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { dayOf as dayOfInstant } from "../zone.ts";
import { firstDay, periodNames, periodsOf, sameDays } from "./periods.ts";
import { befores, createdSince, dateField, defaultBefore, type ListRoute } from "./query.ts";

const choices: (DayOf | undefined)[] = [undefined, "payment", "refund"];

/** The days of a list, and which date they are of. All of it is in the URL, so that a link shows the same. */
export function Period({ route }: { route: ListRoute }) {
  const words = useWords(list);
  const locale = useLocale();
  const { kind, days, dayOf, createdBefore = defaultBefore } = route;
  const today = dayOfInstant(new Date());
  const periods = periodsOf(today);
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
          <DayInput label={words.day} day={days.from === days.to ? days.from : ""} max={today} choose={(day) => show({ days: { from: day, to: day } })} />
          <DayInput label={words.from} day={days.from} max={today} choose={(from) => show({ days: spanned(days, { from }) })} />
          <DayInput label={words.to} day={days.to} max={today} choose={(to) => show({ days: spanned(days, { to }) })} />
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
          <span className="period-link">
            <CopyButton text={location.href.split("#")[0] + hrefOf(route)} what={words.link}>{words.copyLink}</CopyButton>
          </span>
        </div>
      </div>
      {dayOf !== undefined && <p>{words.windowNote[kind](words.dates[dateField(kind, dayOf)] ?? "", dayText(createdSince(route), locale))}</p>}
      <p className="fine">{words.filterNote}</p>
    </>
  );
}

/** A span with another first or last day. The other end moves with it if it would be on the wrong side. */
function spanned(days: Days, { from = days.from, to = days.to }: Partial<Days>): Days {
  if (from <= to) return { from, to };
  return from === days.from ? { from: to, to } : { from, to: from };
}

/** A date. While a year is typed it is not one that can be chosen, and nothing changes. */
function DayInput({ label, day, max, choose }: { label: string; day: string; max: string; choose: (day: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Not a controlled input: React would undo a date that is not whole yet.
    if (input.current !== null && input.current.value !== day) input.current.value = day;
  }, [day]);
  const changed = ({ value, validity }: HTMLInputElement) => validity.valid && isDay(value) && value !== day && choose(value);
  return (
    <label className="field">
      {label}
      <input ref={input} type="date" defaultValue={day} min={firstDay} max={max} onChange={(event) => changed(event.target)} />
    </label>
  );
}
