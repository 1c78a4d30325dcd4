import { amountText } from "../../base/money.ts";
import { useObservable } from "../../base/observable.ts";
import { daysText } from "../parts/moment.tsx";
import { Problem } from "../parts/problem.tsx";
import { find } from "../words/find.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { dayOrDays, rangeText } from "./rangetext.ts";
import type { Search } from "./search.ts";
import type { Way } from "./span.ts";
import { commonError, isDated, isInterrupted, isWhole, progressOf, type Step } from "./step.ts";
import type { Meanings } from "./text.ts";

type Words = (typeof find)["en"];

/** The steps of a search: what was tried, with its bounds and counts, and what can be read in addition. */
export function Tried({ search }: { search: Search }) {
  const words = useWords(find);
  const locale = useLocale();
  const { steps, meanings, running } = useObservable(search.state);
  const { read, total } = progressOf(steps);
  const error = commonError(steps);
  const halt = () => {
    search.halt();
    document.getElementById("find-text")?.focus(); // the button goes
  };
  return (
    <section className="find-tried" aria-label={words.tried}>
      <h3>{words.tried}</h3>
      {meanings !== null && (
        <p className="fine">
          {words.readAs(meaningsText(meanings, words, locale), meanings.day ? dayOrDays(meanings.day, meanings.until, locale) : null)} {meanings.ignored && words.ignored}
        </p>
      )}
      {running && (
        <p className="find-facts">
          <button type="button" className="button" onClick={halt}>{words.stop}</button>
          {total !== null && <progress value={read} max={Math.max(total, read)} aria-label={words.searching} />}
          {read > 0 && <span className="find-count">{words.readOf(read.toLocaleString(locale), total === null ? null : total.toLocaleString(locale))}</span>}
        </p>
      )}
      {error !== null && <Problem error={error} again={() => void search.again()} />}
      {/* A step is announced when it has ended: until then its row is busy. */}
      <div role="status" aria-atomic="false">
        <ul>{steps.map((step) => <StepRow key={step.id} step={step} alone={error === null} again={() => void search.continue(step.id)} />)}</ul>
      </div>
      {steps.some(isDated) && <p className="fine">{words.dated}</p>}
      {search.besides("earlier") !== null && (
        <p className="find-facts">
          {(["earlier", "later"] as const).map((way) => <Further key={way} way={way} search={search} disabled={running || isInterrupted(steps)} />)}
          {isInterrupted(steps) && <span className="fine">{words.firstAgain}</span>}
        </p>
      )}
    </section>
  );
}

/** Searches the days before or after those that were searched, if there are any. */
function Further({ way, search, disabled }: { way: Way; search: Search; disabled: boolean }) {
  const words = useWords(find);
  const locale = useLocale();
  const days = search.besides(way);
  if (days === null) return null;
  return <button type="button" className="button" disabled={disabled} onClick={() => void search.further(way)}>{words.further[way](daysText(days, locale))}</button>;
}

/** A step, with why it failed unless that is said for all of them. */
function StepRow({ step, alone, again }: { step: Step; alone: boolean; again: () => void }) {
  const words = useWords(find);
  const locale = useLocale();
  return (
    <li className={`find-step find-${step.state}`} aria-busy={step.state === "reading"}>
      <p>{nameOf(step, words, locale)}: <span className="find-count">{outcomeOf(step, words, locale)}</span></p>
      {step.state === "failed" && alone && <Problem error={step.error} again={again} />}
      {step.state === "stopped" && <button type="button" className="button" onClick={again}>{words.goOn}</button>}
    </li>
  );
}

function nameOf({ trial }: Step, words: Words, locale: string): string {
  if (trial.of === "record") return words.records[trial.record];
  if (trial.of === "key") return words.key(trial.text);
  if (trial.of === "code") return words.code;
  const { how, kind, wanted } = trial.task;
  switch (how.by) {
    case "filter":
      return words.filters[how.field](how.value);
    case "amount":
      return words.listOfAmount(words[kind], reaisOf(how.cents, locale), wanted?.name ?? null, rangeText(how.range, locale));
    case "reading":
      return words.listOf(words[kind], rangeText(how.range, locale));
  }
}

/** How a step ended, or how far it is. */
function outcomeOf(step: Step, words: Words, locale: string): string {
  const { trial, state } = step;
  if (state === "waiting") return words.waiting;
  if (state === "skipped") return words.skipped;
  const isList = trial.of === "list";
  if (state === "reading" && !(isList && step.pages > 0)) return words.searching;
  if (state === "failed" && !(isList && step.pages > 0)) return words.notRead;
  if (state === "stopped" && !(isList && step.pages > 0)) return words.stopped;
  if (trial.of === "record") return step.found > 0 ? words.exists[trial.record] : words.existsNot[trial.record];
  if (trial.of === "key") return keyText(step, words);
  if (trial.of === "code") return words.codeRead;
  const number = (value: number) => value.toLocaleString(locale);
  const { total } = step;
  const read = isWhole(step) ? number(step.read) : words.partly(number(step.read), total === null || total < step.read ? words.uncounted : number(total));
  const { how } = trial.task;
  return [
    how.by !== "reading" && isWhole(step) ? words.count(step.found, number(step.found)) : words.counts(read, step.read, number(step.found), step.found),
    ...(step.pages > 1 ? [words.pages(number(step.pages))] : []),
    ...(step.invalid > 0 ? [words.invalid(step.invalid)] : []),
    ...(state === "stopped" ? [words.stopped] : []),
    ...(step.unreachable ? [words.unreachable] : []),
    ...(how.by === "amount" && how.beyond ? [words.beyond] : []),
  ].join("; ");
}

function keyText({ key }: Step, words: Words): string {
  if (key === null || key.normalized !== null) return words.keyValid;
  return key.problems.map(({ code }) => words.keyInvalid[code]).find((text) => text !== undefined) ?? words.keyUnknown;
}

function meaningsText(meant: Meanings, words: Words, locale: string): string {
  const { uuid, endToEnd, mistyped, part, brCode, keys, document, cents, named, externalCode, notification, name } = meant;
  const { meanings } = words;
  const found = [
    uuid !== undefined && meanings.uuid,
    endToEnd !== undefined && (endToEnd.refund ? meanings.refund : meanings.endToEnd),
    mistyped !== undefined && meanings.mistyped,
    part !== undefined && meanings.part,
    brCode !== undefined && (brCode.cents ? `${meanings.brCode} (${reaisOf(brCode.cents, locale)})` : meanings.brCode),
    keys.length > 0 && meanings.key,
    document !== undefined && meanings.document,
    cents !== undefined && words.amountOf(reaisOf(cents, locale)),
    named !== undefined && words.namedOf(reaisOf(named.cents, locale), named.name),
    notification !== undefined && meanings.notification,
    externalCode !== undefined && meanings.externalCode,
    name !== undefined && meanings.name,
  ].filter((text) => text !== false);
  return new Intl.ListFormat(locale, { type: "disjunction" }).format(found);
}

function reaisOf(cents: number, locale: string): string {
  return amountText(String(cents), locale) ?? "";
}
