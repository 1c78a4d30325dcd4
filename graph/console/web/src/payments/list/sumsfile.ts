/** A file of sums, compared with the sums that the page shows: the gateway reads the list again for it. */

import { cellAt } from "./csv.ts";
import { amountNames, type Summary } from "./totals.ts";

/** The columns before the figures: the day and the status. */
const keys = 2;

/** Whether the rows of a file have the figures of the groups, in their order. */
export function hasFigures(rows: readonly string[], separator: string, { groups }: Pick<Summary, "groups">): boolean {
  return rows.length === groups.length && groups.every((group, index) => {
    const figures = [String(group.count), ...amountNames.flatMap((name) => (name in group ? [group[name] ?? ""] : []))];
    return figures.every((figure, at) => digitsOf(figure) === digitsOf(cellAt(rows[index] ?? "", keys + at, separator)));
  });
}

/** The digits of a number, which are the same in cents and in reais. */
function digitsOf(number: string): string {
  return number.replaceAll(/[.,]/g, "").replace(/^(-?)0+(?=\d)/, "$1");
}
