import { digitsOf, isRecord } from "../base/exact.ts";
import { amountText } from "../base/money.ts";
import { labelOf, type Meaning } from "./words.ts";

/** BRCode of the schema, or its PixKeyText. A field that the operation does not select is absent. */
export type BRCode = Record<string, unknown>;

export interface Facts {
  /** What the text says, with a label each. */
  rows: [label: string, text: string][];
  /** The problems in words, with the part of the text that has them. */
  problems: string[];
}

/** What the gateway says about a Pix code. */
export function factsOf(code: BRCode, meaning: Meaning): Facts {
  const facts: Facts = { rows: [], problems: [] };
  const add = (of: BRCode, prefix: string) => {
    for (const [name, value] of Object.entries(of)) {
      if (name === "problems" && Array.isArray(value)) {
        facts.problems.push(...value.filter(isRecord).map((problem) => problemOf(problem, prefix, meaning)));
      } else if (name === "keyText" && isRecord(value)) {
        add(value, "key ");
      } else if (!(name === "keyText" && value === null)) {
        facts.rows.push([labelOf(prefix + name), textOf(name, value)]);
      }
    }
  };
  add(code, "");
  return facts;
}

function textOf(name: string, value: unknown): string {
  if (value === null) return "none that can be read";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return (name === "amount" ? amountText(digitsOf(value)) : null) ?? digitsOf(value) ?? String(value);
}

function problemOf({ code, field }: BRCode, prefix: string, meaning: Meaning): string {
  const words = meaning("PixProblemCode", code);
  const where = typeof field === "string" ? ` at ${prefix}${field}` : prefix && ` at the ${prefix.trim()}`;
  return [`${String(code ?? "A problem")}${where}`, ...(words === null ? [] : [words])].join(": ");
}
