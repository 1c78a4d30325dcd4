/** Sums as the gateway sends them: texts such as "1500", "-3" or "10.5", exact to the last digit. Null is not 0. */

type Sum = string | null;

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
