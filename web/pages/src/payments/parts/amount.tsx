import { digitsOf } from "../../base/exact.ts";
import { parts } from "../words/parts.ts";
import { useLocale, useWords } from "../words/words.tsx";

/** An amount of cents in reais, exact to the digit. */
export function Amount({ cents }: { cents: unknown }) {
  const locale = useLocale();
  const { none } = useWords(parts);
  return <span className="amount">{amountText(digitsOf(cents), locale) ?? none}</span>;
}

/** The digits of an amount of whole cents as people write it, such as "R$ 51,70"; null for another text. */
export function amountText(digits: string | null, locale: string): string | null {
  if (digits === null || !/^-?\d+$/.test(digits)) return null;
  return new Intl.NumberFormat(locale, { style: "currency", currency: "BRL" }).format(`${digits}E-2` as `${number}`);
}
