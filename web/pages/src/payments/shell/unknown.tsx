import { Empty } from "../parts/panel.tsx";
import { hrefOf, home } from "../route.ts";
import { shell } from "../words/shell.ts";
import { useWords } from "../words/words.tsx";

/** In place of a view whose link is not complete, such as one that an e-mail program broke. */
export function Unknown() {
  const words = useWords(shell);
  return (
    <>
      <h1>{words.unknownView}</h1>
      <Empty>{words.brokenLink} <a href={hrefOf(home)}>{words.payments}</a></Empty>
    </>
  );
}
