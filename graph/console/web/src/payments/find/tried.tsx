import { reais } from "../../format.ts";
import { useObservable } from "../../observable.ts";
import { Problem } from "../parts/problem.tsx";
import { find } from "../words/find.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { rangeText } from "./rangetext.ts";
import type { Search } from "./search.ts";
import { isDated, type Step } from "./step.ts";
import type { Meanings } from "./text.ts";

type Words = (typeof find)["en"];

/** The steps of a search: what was tried, with its bounds and counts, and what can be read in addition. */
export function Tried({ search }: { search: Search }) {
  const words = useWords(find);
  const locale = useLocale();
  const { steps, meanings, further, running } = useObservable(search.state);
  return (
    <section className="find-tried" aria-label={words.tried}>
      <h3>{words.tried}</h3>
      {meanings !== null && <p className="fine">{words.readAs(meaningsText(meanings, words, locale))}</p>}
      {/* A step is announced when it has ended: until then its row is busy. */}
      <div role="status" aria-atomic="false">
        <ul>{steps.map((step) => <StepRow key={step.id} step={step} again={() => void search.continue(step.id)} />)}</ul>
      </div>
      {steps.some(isDated) && <p className="fine">{words.dated}</p>}
      {further !== null && (
        <p>
          <button type="button" className="button" disabled={running} onClick={() => void search.further()}>
            {words.further(rangeText(further, locale))}
          </button>
        </p>
      )}
    </section>
  );
}

function StepRow({ step, again }: { step: Step; again: () => void }) {
  const words = useWords(find);
  const locale = useLocale();
  return (
    <li className={`find-step find-${step.state}`} aria-busy={step.state === "reading"}>
      <p>{nameOf(step, words, locale)}: <span className="find-count">{outcomeOf(step, words, locale)}</span></p>
      {step.state === "failed" && <Problem error={step.error} again={again} />}
      {step.state === "read" && step.more && <button type="button" className="button" onClick={again}>{words.more}</button>}
    </li>
  );
}

function nameOf({ trial }: Step, words: Words, locale: string): string {
  if (trial.of === "record") return words.records[trial.record];
  if (trial.of === "key") return words.key(trial.text);
  const { how, kind } = trial.task;
  switch (how.by) {
    case "filter":
      return words.filters[how.field](how.value);
    case "amount":
      return words.listOfAmount(words[kind], reais(how.cents) ?? "", rangeText(how.range, locale));
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
  if (state === "failed" && !(isList && step.pages > 0)) return "—";
  if (trial.of === "record") return step.found > 0 ? words.exists : words.existsNot;
  if (trial.of === "key") return keyText(step, words);
  const number = (value: number) => value.toLocaleString(locale);
  const isWhole = step.total === null || step.read >= step.total;
  const read = isWhole ? number(step.read) : words.partly(number(step.read), number(step.total ?? 0));
  const { how } = trial.task;
  return [
    how.by !== "reading" && isWhole ? words.count(step.found) : words.counts(read, number(step.found)),
    ...(step.pages > 1 ? [words.pages(step.pages)] : []),
    ...(step.invalid > 0 ? [words.invalid(step.invalid)] : []),
    ...(step.unreachable ? [words.unreachable] : []),
    ...(how.by === "amount" && how.beyond ? [words.beyond] : []),
  ].join("; ");
}

function keyText({ key }: Step, words: Words): string {
  if (key === null || key.normalized !== null) return words.keyValid;
  return key.problems.map(({ code }) => words.keyInvalid[code]).find((text) => text !== undefined) ?? words.keyUnknown;
}

function meaningsText(meant: Meanings, words: Words, locale: string): string {
  const { uuid, endToEnd, brCode, keys, document, cents, externalCode, notification, name } = meant;
  const { meanings } = words;
  const found = [
    uuid !== undefined && meanings.uuid,
    endToEnd !== undefined && (endToEnd.refund ? meanings.refund : meanings.endToEnd),
    brCode !== undefined && (brCode.cents === null ? meanings.brCode : `${meanings.brCode} (${reais(brCode.cents)})`),
    keys.length > 0 && meanings.key,
    document !== undefined && meanings.document,
    cents !== undefined && words.amountOf(reais(cents) ?? ""),
    notification !== undefined && meanings.notification,
    externalCode !== undefined && meanings.externalCode,
    name !== undefined && meanings.name,
  ].filter((text) => text !== false);
  return new Intl.ListFormat(locale, { type: "disjunction" }).format(found);
}
