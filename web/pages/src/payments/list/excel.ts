/** Files for Excel in Portuguese that the page makes, in the form of the gateway's. */

import { plainText } from "../../base/money.ts";
import { headerOf, type Headers } from "./headers.ts";
import { amountsOf } from "./query.ts";
import type { Kind } from "../route.ts";
import type { Summary } from "./totals.ts";

/** A file of cells, below their names. */
export function fileOfRows(head: readonly string[], rows: readonly string[][]): string {
  return `\ufeff${[head.map(cellOf), ...rows].map((cells) => `${cells.join(";")}\r\n`).join("")}`;
}

// Where Excel would begin a formula: also after characters that it does not show, and after one that another program splits at.
const formula = /((?:^|[;,\t\r\n])["\s\p{Cc}\p{Cf}]*)(?=[=+\-@＝＋－＠])/gu;

/** A text that Excel neither evaluates nor takes for a number or a date. */
export function cellOf(text: string | null | undefined): string {
  const whole = text ?? "";
  if (/\d/.test(whole) && !/[^\d\sE.,:/+-]/i.test(whole) && whole.length <= 255 && !/\p{Cc}/u.test(whole)) return `"=""${whole}"""`;
  const safe = whole.replace(formula, "$1'");
  return safe !== whole || /[";,\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The sums of each day and status. Those without a documented unit keep their value. */
export function fileOfSums({ groups }: Summary, kind: Kind, headers: Headers, statuses: Readonly<Record<string, string>>): string {
  const fields = ["day", "statusRaw", ...amountsOf[kind].split(" ")] as ("day" | "statusRaw" | "count")[];
  const cell = (group: Summary["groups"][number]) => (field: (typeof fields)[number]) => {
    const value = group[field] ?? null;
    if (field === "day") return (group.day ?? "").split("-").reverse().join("/");
    if (field === "statusRaw") return cellOf(Object.hasOwn(statuses, value ?? "") ? statuses[value ?? ""] : group.statusRaw);
    if (["count", "feeAmount", "amountWithdrawn"].includes(field)) return String(value ?? "").replace(".", ",");
    return plainText(value === null ? null : String(value));
  };
  return fileOfRows(fields.map((field) => headerOf(field, headers)), groups.map((group) => fields.map(cell(group))));
}
