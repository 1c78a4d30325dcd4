import type { GraphQLInputType, ValueNode } from "graphql";
import { useEffect, useId, useRef, useState } from "react";
import { choicesOf, chosenIn, controlOf, enter, noteOf, shownOf, type Control } from "./controls.ts";

interface Props {
  name: string;
  type: GraphQLInputType;
  /** What the query has; null if it has no value. */
  value: ValueNode | null;
  literal: string | null;
  /** Writes a literal into the query; null removes the argument. */
  set: (literal: string | null) => void;
}

/** The control for a value, by its type. A value of another form, such as a variable, is shown as its literal. */
export function Value({ name, type, value, literal, set }: Props) {
  const wanted = controlOf(type) ?? "literal";
  const label = `Value of ${name}`;
  const chosen = wanted === "choices" ? chosenIn(value) : null;
  if (chosen !== null) return <Choices label={label} choices={choicesOf(type)} chosen={chosen} set={set} />;
  const shown = shownOf(wanted, value);
  const isChoice = wanted === "choice" && shown !== null && (shown === "" || choicesOf(type).includes(shown));
  if (isChoice) return <Choice label={label} choices={choicesOf(type)} chosen={shown} set={set} />;
  const control = shown === null || wanted === "choice" ? "literal" : wanted;
  const text = control === "literal" ? (literal ?? "") : (shown ?? "");
  const props = { label, control, lines: wanted === "ids", shown: text, note: noteOf(control, value), literal, set };
  return control === "time" ? <Time {...props} /> : <Text {...props} />;
}

function Choice({ label, choices, chosen, set }: { label: string; choices: string[]; chosen: string; set: Props["set"] }) {
  return (
    <select aria-label={label} value={chosen} onChange={(event) => set(event.target.value || null)}>
      <option value="">not set</option>
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}

/** Several choices. Values of the query that are not among the choices stay until the user removes them. */
function Choices({ label, choices, chosen, set }: { label: string; choices: string[]; chosen: string[]; set: Props["set"] }) {
  const toggle = (choice: string) => {
    const next = chosen.includes(choice) ? chosen.filter((each) => each !== choice) : [...chosen, choice];
    set(next.length === 0 ? null : `[${next.join(", ")}]`);
  };
  return (
    <fieldset aria-label={label} className="explorer-choices">
      {[...new Set([...choices, ...chosen])].map((choice) => (
        <label key={choice}>
          <input type="checkbox" checked={chosen.includes(choice)} onChange={() => toggle(choice)} />
          {choice}
        </label>
      ))}
    </fieldset>
  );
}

interface TextProps {
  label: string;
  control: Control;
  /** Whether it has several lines. */
  lines: boolean;
  shown: string;
  note: string;
  literal: string | null;
  set: Props["set"];
}

/** What the user typed, and the literal that the query had then. The text is shown until the query has another one. */
interface Typed {
  text: string;
  literal: string | null;
  problem: string;
}

/** A field for text. While the text is invalid, the query keeps its last valid value. */
function Text({ label, control, lines, shown, note, literal, set }: TextProps) {
  const [last, type] = useState<Typed | null>(null);
  const typed = last?.literal === literal ? last : null;
  const said = useId();
  const change = (text: string) => {
    const entered = enter(control, text);
    if ("problem" in entered) return type({ text, literal, problem: entered.problem });
    type({ text, literal: entered.literal, problem: "" });
    if (entered.literal !== literal) set(entered.literal);
  };
  const props = {
    "aria-describedby": said, "aria-invalid": Boolean(typed?.problem), value: typed?.text ?? shown, spellCheck: false, autoComplete: "off",
    onChange: (event: { target: { value: string } }) => change(event.target.value),
  };
  return (
    <>
      {control === "cents" && <span aria-hidden="true">R$</span>}
      {lines ? (
        <textarea {...props} aria-label={`${label}, one on each line`} rows={Math.min(props.value.split("\n").length + 1, 8)} />
      ) : (
        <input {...props} type="text" aria-label={control === "cents" ? `${label} in reais` : label} inputMode={keyboards[control] ?? "text"} />
      )}
      <Said id={said} problem={typed?.problem ?? ""} note={note} />
    </>
  );
}

const keyboards: Partial<Record<Control, "decimal" | "numeric">> = { cents: "decimal", decimal: "decimal", integer: "numeric" };

const incomplete = "Enter the whole date and time.";

/**
 * A field for a time in the reader's zone. The browser keeps its text: React would restore a date while the user replaces
 * a part of it.
 */
function Time({ label, shown, note, literal, set }: TextProps) {
  const [problem, setProblem] = useState("");
  const said = useId();
  const input = useRef<HTMLInputElement>(null);
  const entered = useRef(literal); // the literal that the field has
  useEffect(() => {
    if (input.current === null || entered.current === literal) return;
    entered.current = literal;
    input.current.value = shown;
    setProblem("");
  }, [literal, shown]);
  const change = ({ value, validity }: HTMLInputElement) => {
    const next = validity.badInput ? { problem: incomplete } : enter("time", value);
    setProblem("problem" in next ? next.problem : "");
    if ("problem" in next || next.literal === literal) return;
    entered.current = next.literal;
    set(next.literal);
  };
  return (
    <>
      <input
        ref={input} type="datetime-local" aria-label={label} aria-describedby={said} aria-invalid={problem !== ""} defaultValue={shown}
        step={shown.includes(".") ? 0.001 : 1} max="9999-12-31T23:59:59" onChange={(event) => change(event.target)}
        onBlur={(event) => event.target.validity.badInput && setProblem(incomplete)}
      />
      <Said id={said} problem={problem} note={note} />
    </>
  );
}

/** What is said about a field: its problem, otherwise the note. */
function Said({ id, problem, note }: { id: string; problem: string; note: string }) {
  return (
    <span id={id} role="status" className={problem === "" ? "explorer-note" : "explorer-problem"}>
      {problem || note}
    </span>
  );
}
