import { reais } from "../../format.ts";
import { parts } from "../words/parts.ts";
import { useWords } from "../words/words.tsx";

/** An amount of cents in reais, exact to the digit. */
export function Amount({ cents }: { cents: unknown }) {
  const { none } = useWords(parts);
  return <span className="amount">{reais(cents) ?? none}</span>;
}
