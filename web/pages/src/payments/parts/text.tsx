import { useLocale, useWords } from "../words/words.tsx";
import { parts } from "../words/parts.ts";

/** The characters that are shown at once, and those that are shown at all: a browser takes seconds to break a longer line. */
const shown = 200;
const most = 10_000;

/** A text of a record, which can be of any length and in any direction: a long one is folded. */
export function Text({ children: text, at = shown }: { children: string; at?: number }) {
  const words = useWords(parts);
  const locale = useLocale();
  if (text.length <= at) return <bdi>{text}</bdi>;
  return (
    <details>
      <summary><bdi>{text.slice(0, at)}…</bdi></summary>
      <pre>{text.slice(0, most)}</pre>
      {text.length > most && <p className="fine">{words.cut(most.toLocaleString(locale), text.length.toLocaleString(locale))}</p>}
    </details>
  );
}

/** A name of a record in a line of text. */
export function Name({ children: name }: { children: string }) {
  return <bdi title={name.slice(0, most)}>{name.length <= shown ? name : `${name.slice(0, shown)}…`}</bdi>;
}
