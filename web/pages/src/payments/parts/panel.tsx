import type { ReactNode } from "react";
import { parts } from "../words/parts.ts";
import { useWords } from "../words/words.tsx";
import { Problem } from "./problem.tsx";
import type { Reading } from "./read.ts";

/** A titled part of the page. */
export function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="panel" aria-label={title}>
      <header className="panel-head">
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** What was read, or that it is being read, or why it was not. */
export function Read<Value>({ reading, children }: { reading: Reading<Value>; children: (value: Value) => ReactNode }) {
  const words = useWords(parts);
  const { value, error, again } = reading;
  if (error !== null) {
    return (
      <>
        <Problem error={error} again={again} />
        {value !== undefined && children(value)}
      </>
    );
  }
  if (value === undefined) return <p className="reading" role="status">{words.reading}</p>;
  return <>{children(value)}</>;
}

/** The text in place of an empty table. */
export function Empty({ children }: { children: ReactNode }) {
  return <p className="empty" role="status">{children}</p>;
}
