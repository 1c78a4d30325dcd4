import { useContext } from "react";
import { FeesContext, useFee } from "../parts/fees.ts";
import { list } from "../words/list.ts";
import { parts } from "../words/parts.ts";
import { useLocale, useWords } from "../words/words.tsx";
import { money, quantity } from "../../base/money.ts";
import { amountNames, isFeeMissing, type Amounts, type AmountName } from "./totals.ts";

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
  const { feeMissing, noNet } = useWords(list);
  const unit = useContext(FeesContext);
  const feeText = useFee();
  const locale = useLocale();
  if (name === "count") return <span className="amount">{row.count.toLocaleString(locale)}</span>;
  const sum = row[name] ?? null;
  // The gateway subtracts fees as cents. The unit of the amount withdrawn is not documented.
  const isWrong = name === "netAmount" && unit === "reais";
  const shown = isWrong ? null : name === "feeAmount" ? feeText(sum) : (name === "amountWithdrawn" ? quantity : money)(sum, locale);
  const why = isWrong ? noNet : name === "netAmount" && isFeeMissing(row) ? feeMissing : undefined;
  return <span className="amount" title={shown?.exact ?? why}>{shown?.text ?? none}</span>;
}

/** What is said about the units of figures. */
export function useUnitNotes(): Record<string, string> {
  const { unitNote, noNet } = useWords(list);
  const unit = useContext(FeesContext);
  if (unit === "unknown") return unitNote;
  const { feeAmount: _, netAmount: __, ...others } = unitNote;
  return unit === "cents" ? others : { ...others, netAmount: noNet };
}

/** The head of a table of figures. */
export function FigureHeads({ names, first }: { names: FigureName[]; first: string }) {
  const words = useWords(list);
  const notes = useUnitNotes();
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {names.map((name) => <th key={name} scope="col" className="number" title={notes[name]}>{words.figures[name]}</th>)}
      </tr>
    </thead>
  );
}
