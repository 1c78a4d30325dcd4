/** A file of sums, compared with the sums that the page shows: the gateway reads the list again for it. */

import { cellAt } from "./csv.ts";
import { amountNames, type Summary } from "./totals.ts";

/** Whether the rows of a file have the days, the statuses and the figures of the groups, in their order. */
export function hasFigures(rows: readonly string[], separator: string, { groups }: Pick<Summary, "groups">): boolean {
  return rows.length === groups.length && groups.every((group, index) => {
    const figures = [String(group.count), ...amountNames.flatMap((name) => (name in group ? [group[name] ?? ""] : []))];
    const [day, status, ...cells] = ["", "", ...figures].map((_, at) => cellAt(rows[index] ?? "", at, separator));
    return day === (group.day ?? "").split("-").reverse().join("/") && lettersOf(status) === lettersOf(group.statusRaw ?? "")
      && figures.every((figure, at) => digitsOf(figure) === digitsOf(cells[at]));
  });
}

/** The letters and digits of a text: a file has other characters for Excel. */
function lettersOf(text = ""): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** The digits of a number, which are the same in cents and in reais. */
function digitsOf(number = ""): string {
  return number.replaceAll(/[.,]/g, "").replace(/^(-?)0+(?=\d)/, "$1");
}
