import type { ReactNode } from "react";
import { Failure } from "../gateway.ts";
import { Identifier } from "../parts/identifier.tsx";
import { Read } from "../parts/panel.tsx";
import type { Reading } from "../parts/read.ts";
import { payment as words } from "../words/payment.ts";
import { useWords } from "../words/words.tsx";
import { Back } from "./head.tsx";

/** The view of one record by its id. */
export interface ById {
  id: string;
  /** Searches for a text: an id can be that of a record of another kind. */
  seek: (text: string) => void;
}

interface Props<Value> extends ById {
  what: string;
  reading: Reading<Value>;
  children: (value: Value) => ReactNode;
}

/** A record that was read; before and without that, what it is of which id. */
export function ReadRecord<Value>({ what, id, seek, reading, children }: Props<Value>) {
  const isUnknown = reading.error instanceof Failure && ["NOT_FOUND", "BAD_USER_INPUT"].includes(reading.error.code);
  return (
    <>
      {reading.value === undefined && <Asked what={what} id={id} />}
      <Read reading={reading}>{children}</Read>
      {isUnknown && <Seek id={id} seek={seek} />}
    </>
  );
}

/** The head of a view whose record is not known. */
export function Asked({ what, id }: { what: string; id: string }) {
  return (
    <header className="head">
      <Back />
      <h1>{what}</h1>
      <p><Identifier id={id} what={useWords(words).id} whole /></p>
    </header>
  );
}

/** Searches the id of a record that does not exist: it may be that of another one. */
export function Seek({ id, seek }: ById) {
  return <p><button type="button" className="button" onClick={() => seek(id)}>{useWords(words).seek}</button></p>;
}
