/** What the text of a Pix code says that a search needs. */
export interface BRCode {
  text: string;
  /** The transaction id of the receiver; null if the code has none. */
  txid: string | null;
  /** The amount as in the code, such as 51.70; null if the payer enters it. */
  amount: string | null;
}

/** Reads a Pix code, to its first error: ids of two digits, lengths of two digits, values. Null for another text. */
export function brCodeOf(text: string): BRCode | null {
  if (!text.startsWith("000201")) return null;
  const fields = fieldsOf(text);
  const txid = fieldsOf(fields.get("62") ?? "").get("05") ?? null;
  return { text, txid: txid === "***" ? null : txid, amount: fields.get("54") ?? null };
}

function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  const characters = [...text];
  for (let at = 0; at + 4 <= characters.length; ) {
    const id = characters.slice(at, at + 2).join("");
    const length = Number(characters.slice(at + 2, at + 4).join(""));
    const end = at + 4 + length;
    if (!/^\d\d$/.test(id) || !Number.isInteger(length) || end > characters.length) break;
    fields.set(id, characters.slice(at + 4, end).join(""));
    at = end;
  }
  return fields;
}
