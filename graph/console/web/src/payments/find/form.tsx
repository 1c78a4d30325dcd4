import { useState, type FormEvent } from "react";
import { useObservable } from "../../observable.ts";
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
  const [day, setDay] = useState(span.choice === "day" ? span.day : today);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === "") return search.clear();
    const chosen: Span = choice === "day" ? { choice, day: isDay(day) ? day : today } : { choice };
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
            <option value="day">{words.oneDay}</option>
          </select>
        </label>
        {choice === "day" && (
          <label className="find-span">
            {words.day}
            <input type="date" required value={day} max={today} onChange={(event) => setDay(event.target.value)} />
          </label>
        )}
        <p id="find-why" className="fine">{words.spanWhy}</p>
      </div>
    </form>
  );
}
