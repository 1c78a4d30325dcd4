import { list } from "../words/list.ts";
import { parts } from "../words/parts.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { money, quantity } from "./decimal.ts";
import { amountNames, isFeeMissing, type Amounts, type AmountName } from "./totals.ts";

/** Sums in the API's unit, which it does not document. The others are cents. */
const unitless: readonly string[] = ["feeAmount", "amountWithdrawn"];

type FigureName = "count" | AmountName;

interface Row extends Amounts {
  count: number;
}

/** The figures that a summary has, in their order. */
export function figuresOf(row: Row): FigureName[] {
  return ["count", ...amountNames.filter((name) => name in row)];
}

/** A count or a sum. What is rounded, and why a net amount is not known, is in the title. */
export function Figure({ name, row }: { name: FigureName; row: Row }) {
  const { none } = useWords(parts);
  const { feeMissing } = useWords(list);
  const locale = useLocale();
  if (name === "count") return <span className="amount">{row.count.toLocaleString(locale)}</span>;
  const shown = (unitless.includes(name) ? quantity : money)(row[name] ?? null, locale);
  const why = name === "netAmount" && isFeeMissing(row) ? feeMissing : undefined;
  return <span className="amount" title={shown?.exact ?? why}>{shown?.text ?? none}</span>;
}

/** The head of a table of figures. */
export function FigureHeads({ names, first }: { names: FigureName[]; first: string }) {
  const words = useWords(list);
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {names.map((name) => <th key={name} scope="col" className="number" title={words.unitNote[name]}>{words.figures[name]}</th>)}
      </tr>
    </thead>
  );
}
