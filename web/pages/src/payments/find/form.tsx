import { useState, type FormEvent } from "react";
import { useObservable } from "../../base/observable.ts";
import { useToday } from "../parts/today.ts";
import { find } from "../words/find.ts";
import { useWords } from "../words/words.tsx";
import { isDay } from "../route.ts";
import type { Search } from "./search.ts";
import type { Span } from "./span.ts";

/** The field, and the days that are searched by reading. */
export function Form({ search }: { search: Search }) {
  const words = useWords(find);
  const { entered, span, meanings } = useObservable(search.state);
  const today = useToday();
  const [text, setText] = useState(entered);
  const [choice, setChoice] = useState(span.choice);
  const [day, setDay] = useState(span.choice === "day" ? span.day : span.choice === "range" ? span.days.from : today);
  const [until, setUntil] = useState(span.choice === "range" ? span.days.to : today);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === "") return search.clear();
    const from = isDay(day) ? day : today;
    const last = isDay(until) ? until : today;
    const days = from <= last ? { from, to: last } : { from: last, to: from };
    const chosen: Span = choice === "day" ? { choice, day: from } : choice === "range" ? { choice, days } : { choice };
    void search.find(text, chosen);
  };
  const clear = () => {
    setText("");
    search.clear();
    document.getElementById("find-text")?.focus();
  };
  return (
    <form className="find panel" role="search" aria-label={words.title} onSubmit={submit}>
      <h1><label htmlFor="find-text">{words.title}</label></h1>
      <div className="find-line">
        <input
          id="find-text" type="text" autoFocus autoComplete="off" autoCapitalize="off" spellCheck={false} value={text}
          placeholder={words.hint} aria-describedby="find-hint" onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="button primary">{words.find}</button>
        {meanings !== null && <button type="button" className="button" onClick={clear}>{words.clear}</button>}
      </div>
      <p id="find-hint" className="find-hint fine">{words.hint}</p>
      <div className="find-days">
        <label className="find-span">
          {words.days}
          <select value={choice} aria-describedby="find-why" onChange={(event) => setChoice(event.target.value as Span["choice"])}>
            <option value="recent">{words.recent}</option>
            <option value="week">{words.week}</option>
            <option value="month">{words.month}</option>
            <option value="lastMonth">{words.lastMonth}</option>
            <option value="day">{words.oneDay}</option>
            <option value="range">{words.range}</option>
          </select>
        </label>
        {(choice === "day" || choice === "range") && (
          <label className="find-span">
            {choice === "day" ? words.day : words.from}
            <input type="date" required value={day} max={today} onChange={(event) => setDay(event.target.value)} />
          </label>
        )}
        {choice === "range" && (
          <label className="find-span">
            {words.to}
            <input type="date" required value={until} max={today} onChange={(event) => setUntil(event.target.value)} />
          </label>
        )}
        <p id="find-why" className="fine">{words.spanWhy}</p>
      </div>
    </form>
  );
}
