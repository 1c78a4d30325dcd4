import { useObservable } from "../../observable.ts";
import { amountText } from "../parts/amount.tsx";
import { dayText } from "../parts/moment.tsx";
import { Problem } from "../parts/problem.tsx";
import { find } from "../words/find.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { rangeText } from "./rangetext.ts";
import type { Search } from "./search.ts";
import { commonError, isDated, isInterrupted, isWhole, type Step } from "./step.ts";
import type { Meanings } from "./text.ts";

type Words = (typeof find)["en"];

/** The steps of a search: what was tried, with its bounds and counts, and what can be read in addition. */
export function Tried({ search }: { search: Search }) {
  const words = useWords(find);
  const locale = useLocale();
  const { steps, meanings, further, running } = useObservable(search.state);
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
          {words.readAs(meaningsText(meanings, words, locale), meanings.day ? dayText(meanings.day, locale) : null)} {meanings.ignored && words.ignored}
        </p>
      )}
      {running && <p><button type="button" className="button" onClick={halt}>{words.stop}</button></p>}
      {error !== null && <Problem error={error} again={() => void search.again()} />}
      {/* A step is announced when it has ended: until then its row is busy. */}
      <div role="status" aria-atomic="false">
        <ul>{steps.map((step) => <StepRow key={step.id} step={step} alone={error === null} again={() => void search.continue(step.id)} />)}</ul>
      </div>
      {steps.some(isDated) && <p className="fine">{words.dated}</p>}
      {further !== null && (
        <p className="find-facts">
          <button type="button" className="button" disabled={running || isInterrupted(steps)} onClick={() => void search.further()}>
            {words.further(rangeText(further, locale))}
          </button>
          {isInterrupted(steps) && <span className="fine">{words.firstAgain}</span>}
        </p>
      )}
    </section>
  );
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
      {step.state === "read" && step.more && <button type="button" className="button" onClick={again}>{words.more}</button>}
    </li>
  );
}

function nameOf({ trial }: Step, words: Words, locale: string): string {
  if (trial.of === "record") return words.records[trial.record];
  if (trial.of === "key") return words.key(trial.text);
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
  const number = (value: number) => value.toLocaleString(locale);
  const { total } = step;
  const read = isWhole(step) ? number(step.read) : words.partly(number(step.read), total === null || total < step.read ? words.uncounted : number(total));
  const { how } = trial.task;
  return [
    how.by !== "reading" && isWhole(step) ? words.count(step.found) : words.counts(read, step.read, number(step.found), step.found),
    ...(step.pages > 1 ? [words.pages(step.pages)] : []),
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
    brCode !== undefined && (brCode.cents === null ? meanings.brCode : `${meanings.brCode} (${reaisOf(brCode.cents, locale)})`),
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
