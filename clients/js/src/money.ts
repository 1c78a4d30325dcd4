// Amounts of money as whole centavos, in BigInt: no amount is ever a floating-point fraction.

/** The reason why a text is not an amount. */
export type AmountProblem =
  /** Such as "12.34": a point separates thousands, and a comma centavos. */
  | 'DECIMAL_POINT'
  /** Such as "1,234": there are at most two digits after the comma. */
  | 'CENTAVOS'
  /** Any other text that is not an amount. */
  | 'FORM';

/** The error of `parseBRL`. */
export class AmountError extends Error {
  override name = 'AmountError';
  /** Why, for messages in the language of the page. */
  readonly problem: AmountProblem;

  constructor(problem: AmountProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/**
 * Reads centavos that the gateway sent: a JSON number (`Cents`) or a text (`DecimalText`). It throws a RangeError for a
 * value that is not exact: a number with a fraction, or above 2^53 - 1, whose last digits JSON.parse has lost.
 */
export function centsOf(value: bigint | number | string): bigint {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return BigInt(value);
  const [, whole] = (typeof value === 'string' && /^(-?\d+)(?:\.0+)?$/.exec(value)) || [];
  if (whole !== undefined) return BigInt(whole);
  throw new RangeError(`${value} is not an exact number of centavos`);
}

/** The sum of amounts in centavos. It throws a RangeError for one that is not exact, as `centsOf` does. */
export function sumCents(amounts: Iterable<bigint | number | string> & object): bigint {
  // The digits of a text would be added.
  if (typeof amounts === 'string') throw new RangeError('a text is one amount, not a list');
  let sum = 0n;
  for (const amount of amounts) sum += centsOf(amount);
  return sum;
}

/**
 * An amount for display, as Intl.NumberFormat of pt-BR writes it but exact for every size: 123456 is "R$ 1.234,56",
 * with a no-break space, and -5 is "-R$ 0,05".
 */
export function formatBRL(cents: bigint | number | string): string {
  const exact = centsOf(cents);
  const digits = (exact < 0n ? -exact : exact).toString().padStart(3, '0');
  const groups: string[] = [];
  for (let end = digits.length - 2; end > 0; end -= 3) groups.push(digits.slice(Math.max(0, end - 3), end));
  return `${exact < 0n ? '-' : ''}R$\u00a0${groups.reverse().join('.')},${digits.slice(-2)}`;
}

/**
 * The centavos of an amount that a person typed, in Brazilian notation: "R$ 1.234,56", "1234,56", "1.234" (R$ 1.234,00)
 * and "12,5" (R$ 12,50), with a minus sign before or after "R$". It throws an AmountError for everything else, and so
 * for what can be read in two ways: "12.34" and "1,234".
 */
export function parseBRL(text: string): bigint {
  const amount = text.replace(/\s/g, ' ').trim().replace('\u2212', '-'); // \s includes no-break spaces
  const [, before, after, number = ''] = /^(-? ?)(?:R\$ ?)?(-? ?)([\d.,]+)$/i.exec(amount) ?? [];
  const [, plain, grouped, centavos = ''] = /^(?:(\d+)|([1-9]\d{0,2}(?:\.\d{3})+))(?:,(\d{1,2}))?$/.exec(number) ?? [];
  const reais = plain ?? grouped?.replaceAll('.', '');
  if (reais === undefined || (before?.trim() && after?.trim())) throw problemOf(text, number);
  const cents = BigInt(reais + centavos.padEnd(2, '0'));
  return before?.trim() || after?.trim() ? -cents : cents;
}

/** The error for a text that is not an amount. */
function problemOf(text: string, number: string): AmountError {
  const quoted = JSON.stringify(text.slice(0, 40));
  const [, whole = '', digits = ''] = /^(\d+|\d{1,3}(?:,\d{3})+)\.(\d+)$/.exec(number) ?? [];
  if (whole) {
    const meant = `${whole.replaceAll(',', '')},${digits.padEnd(2, '0')}`;
    const hint = digits.length <= 2 ? `: write "${meant}" for R$ ${meant}` : '';
    return new AmountError('DECIMAL_POINT', `${quoted}: a point separates thousands, and a comma centavos${hint}`);
  }
  if (/,\d{3,}$/.test(number)) {
    return new AmountError('CENTAVOS', `${quoted}: there are at most two digits after the comma`);
  }
  return new AmountError('FORM', `${quoted} is not an amount such as 1.234,56`);
}
