/** What a search says about the text of a Pix code. */
export interface BRCode {
  /** The text, maybe with line breaks, which the gateway reads. */
  text: string;
  /** What the gateway has read; absent before. */
  cents?: number | null;
  name?: string | null;
  /** The address of the charge of a dynamic code, which no other code has. */
  url?: string | null;
  fault?: Fault | null;
}

/** Why a text is not the code as it was made: its end is missing, or its checksum differs. */
export type Fault = "cut" | "changed";

const begin = /(?<![\da-z])000201/i;
const checksum = /6304[\da-f]{4}(?![\da-z])/i;

/** The Pix code in a text, without what is around it; null without one. */
export function brCodeIn(entered: string): BRCode | null {
  const text = entered.replace(/\p{Cf}/gu, "").replace(/^[>\s]+/, "").replace(/^[> \t]+/gm, "");
  const at = text.search(begin);
  const code = text.slice(at);
  // Within other words, six digits can be of anything.
  if (at < 0 || (/[\p{L}\d]/u.test(text.slice(0, at)) && !/br\.?gov\.?bcb\.?pix/i.test(code.replace(/\s/g, "")))) return null;
  const end = checksum.exec(code);
  return { text: (end === null ? code : code.slice(0, end.index + end[0].length)).replace(/["'”»)\s]+$/, "") };
}
