/** Amounts, exact to the last digit. */

import { parseBRL } from "./client.ts";

/** A sum as the gateway sends it: a text such as "1500", "-3" or "10.5". Null is not 0. */
export type Sum = string | null;

/** The exact sum of two sums; null if neither is known. */
export function add(a: Sum, b: Sum): Sum {
  if (a === null || b === null) return a ?? b;
  const digits = Math.max(fractionOf(a).length, fractionOf(b).length);
  const whole = String(scaled(a, digits) + scaled(b, digits));
  if (digits === 0) return whole;
  const [sign, unsigned] = whole.startsWith("-") ? ["-", whole.slice(1)] : ["", whole];
  const padded = unsigned.padStart(digits + 1, "0");
  const fraction = padded.slice(-digits).replace(/0+$/, "");
  return `${sign}${padded.slice(0, -digits)}${fraction && `.${fraction}`}`;
}

/** The exact difference of two sums; null if the first is not known. A second one that is not known subtracts nothing. */
export function subtract(a: Sum, b: Sum): Sum {
  if (a === null || b === null) return a;
  return add(a, b.startsWith("-") ? b.slice(1) : `-${b}`);
}

function fractionOf(sum: string): string {
  return sum.split(".")[1] ?? "";
}

function scaled(sum: string, digits: number): bigint {
  const [whole = ""] = sum.split(".");
  return BigInt(whole + fractionOf(sum).padEnd(digits, "0"));
}

const decimal = /^-?\d+(\.\d+)?$/;

/** As many digits as every browser formats. A longer fraction is rounded here; the file has all of it. */
const maxDigits = 20;

export interface Shown {
  text: string;
  /** With all digits, if the text is rounded. */
  exact: string | null;
}

/** A sum of cents, or of reais, in reais, such as "R$ 51,70", rounded to cents; null if it is not known. */
export function money(sum: Sum, locale: string, unit: "cents" | "reais" = "cents"): Shown | null {
  if (sum === null || !decimal.test(sum)) return null;
  const format = (maximumFractionDigits: number) => new Intl.NumberFormat(locale, {
    style: "currency", currency: "BRL", minimumFractionDigits: 2, maximumFractionDigits,
  }).format(`${sum}E-${unit === "cents" ? 2 : 0}` as `${number}`);
  const [text, exact] = [format(2), format(maxDigits)];
  return { text, exact: exact === text ? null : exact };
}

/** A sum in an unknown unit as a number with all of its digits; null if it is not known. */
export function quantity(sum: Sum, locale: string): Shown | null {
  if (sum === null || !decimal.test(sum)) return null;
  return { text: new Intl.NumberFormat(locale, { maximumFractionDigits: maxDigits }).format(sum as `${number}`), exact: null };
}

/** The digits of an amount of whole cents as people write it, such as "R$ 51,70"; null for another text. */
export function amountText(digits: Sum, locale = "pt-BR"): string | null {
  return digits?.includes(".") ? null : money(digits, locale)?.text ?? null;
}

/** A sum of cents in reais with all of its digits, as people in Brazil write it; null for one with too many to be formatted. */
export function exactText(sum: string): string | null {
  if (/\.\d{19}/.test(sum)) return null;
  const shown = money(sum, "pt-BR");
  return shown && (shown.exact ?? shown.text);
}

/** Cents in reais with all of their digits, without a sign of the currency or separators of thousands; "" for null. */
export function plainText(cents: Sum): string {
  const [, sign = "", digits = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(cents ?? "") ?? [];
  const padded = digits.padStart(3, "0");
  return digits === "" ? "" : `${sign}${padded.slice(0, -2)},${padded.slice(-2)}${fraction}`;
}

/** The largest amount that a person means, in cents. */
const mostCents = 99_999_999_999n;

/** The cents of an amount in reais, such as "51,70", "51.70", "1.234,56" or "R$ 5"; null for another text. */
export function centsOf(text: string): number | null {
  try {
    const cents = parseBRL(text.replace(/\s+/g, " ").replace(/(^|[^\d.,])(\d+)\.(\d\d?) *$/, "$1$2,$3"));
    return cents < 0n || cents > mostCents ? null : Number(cents);
  } catch {
    return null;
  }
}
