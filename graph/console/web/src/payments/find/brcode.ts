import { centsOf } from "../../format.ts";

/** What a search says about the text of a Pix code. */
export interface BRCode {
  /** The amount in cents; null if the code has no amount, because the payer enters it. */
  cents: number | null;
}

/** Reads a Pix code, to its first error: ids of two digits, lengths of two digits, values. Null for another text. */
export function brCodeOf(text: string): BRCode | null {
  if (!text.startsWith("000201")) return null;
  const characters = [...text];
  for (let at = 0; at + 4 <= characters.length; ) {
    const head = characters.slice(at, at + 4).join("");
    const end = at + 4 + Number(head.slice(2));
    if (!/^\d{4}$/.test(head) || end > characters.length) break;
    if (head.startsWith("54")) return { cents: centsOf(characters.slice(at + 4, end).join("")) };
    at = end;
  }
  return { cents: null };
}
