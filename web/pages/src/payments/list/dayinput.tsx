import { useEffect, useRef } from "react";
import { firstDay, refusalOf, type Refusal } from "./periods.ts";

interface Props {
  label: string;
  day: string;
  /** The last day that can be chosen. */
  max: string;
  choose: (day: string) => void;
  /** Reports that what was entered is not accepted, or null that it is. */
  refuse: (why: Refusal | null) => void;
}

/** A date. The list stays that of the last accepted one, to which the field returns when the user leaves it. */
export function DayInput({ label, day, max, choose, refuse }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const reset = () => {
    // Not a controlled input: React would undo a date that is not whole yet.
    if (input.current !== null && input.current.value !== day) input.current.value = day;
  };
  useEffect(reset, [day]);
  const changed = (value: string) => {
    const why = refusalOf(value, max);
    if (why === null) {
      refuse(null);
      if (value !== day) choose(value);
    } else if (why !== "incomplete") refuse(why);
  };
  const left = (value: string) => {
    const why = refusalOf(value, max);
    if (why === null) return;
    refuse(why);
    reset();
  };
  const escaped = () => {
    refuse(null);
    reset();
  };
  return (
    <label className="field">
      {label}
      <input
        ref={input} type="date" defaultValue={day} min={firstDay} max={max} onChange={(event) => changed(event.target.value)}
        onBlur={(event) => left(event.target.value)} onKeyDown={(event) => event.key === "Escape" && escaped()}
      />
    </label>
  );
}
