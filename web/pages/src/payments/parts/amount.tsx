import { digitsOf } from "../../base/exact.ts";
import { amountText } from "../../base/money.ts";
import { parts } from "../words/parts.ts";
import { useLocale, useWords } from "../words/words.tsx";

/** An amount of cents in reais, exact to the digit. */
export function Amount({ cents }: { cents: unknown }) {
  const locale = useLocale();
  const { none } = useWords(parts);
  return <span className="amount">{amountText(digitsOf(cents), locale) ?? none}</span>;
}
