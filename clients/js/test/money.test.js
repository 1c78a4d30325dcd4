import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AmountError, centsOf, formatBRL, parseBRL, sumCents } from 'pixgraph-client/money';

describe('formatBRL', () => {
  for (const [cents, text] of [
    [0, 'R$ 0,00'], [-0, 'R$ 0,00'], [5, 'R$ 0,05'], [-5, '-R$ 0,05'], [123456, 'R$ 1.234,56'], ['150000', 'R$ 1.500,00'],
    [100000000n, 'R$ 1.000.000,00'], [-99999n, '-R$ 999,99'], ['-3', '-R$ 0,03'], ['1500.0', 'R$ 15,00'],
    [Number.MAX_SAFE_INTEGER, 'R$ 90.071.992.547.409,91'], [2n ** 63n - 1n, 'R$ 92.233.720.368.547.758,07'],
  ]) {
    test(`${typeof cents} ${cents}`, () => assert.equal(formatBRL(cents), text.replace(' ', '\u00a0')));
  }

  test('is what Intl writes, where that is exact', () => {
    const intl = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });
    for (let cents = -250_000; cents < 250_000; cents += 997) assert.equal(formatBRL(cents), intl.format(cents / 100));
  });

  test('is exact for an amount of a thousand digits', () => {
    const digits = '1234567890'.repeat(100);
    assert.equal(formatBRL(digits).replace(/\D/g, ''), digits);
  });
});

describe('centsOf', () => {
  for (const value of [2 ** 53, -(2 ** 53), 0.5, NaN, Infinity, '', ' 5', '1e3', '0x10', '10.5', '12,00', '٣', '5n', null, undefined, true, {}, []]) {
    test(`refuses ${typeof value} ${String(value)}`, () => assert.throws(() => centsOf(value), RangeError));
  }

  test('refuses a number of JSON whose last digits are lost', () => {
    assert.throws(() => sumCents([JSON.parse('9007199254740993'), 1]), /is not an exact number of centavos/);
  });

  test('sums without floating point', () => {
    assert.equal(sumCents([0.1 * 100, 20, '9007199254740993', 2n ** 63n]), 10n + 20n + 9007199254740993n + 2n ** 63n);
    assert.equal(sumCents([]), 0n);
    assert.throws(() => sumCents([1, null]), RangeError, 'a missing amount is not zero');
    assert.throws(() => sumCents('15'), RangeError, 'its digits are no amounts');
  });
});

describe('parseBRL', () => {
  for (const [text, cents] of [
    ['1.234', 123400n], ['1.234,56', 123456n], ['1234,56', 123456n], ['1234', 123400n], ['12,5', 1250n], ['R$ 1.234,5', 123450n],
    ['R$1', 100n], ['r$ 1', 100n], ['R$\u00a01.234,56', 123456n], ['\u202fR$\u202f7', 700n], ['  7 ', 700n], ['0', 0n], ['-0', 0n],
    ['0,05', 5n], ['007', 700n], ['-R$ 0,05', -5n], ['R$ -5', -500n], ['- 5', -500n], ['\u2212R$ 5', -500n],
    ['9'.repeat(1000), BigInt(`${'9'.repeat(1000)}00`)],
  ]) {
    test(text.slice(0, 20), () => assert.equal(parseBRL(text), cents));
  }

  for (const [text, problem, message] of [
    ['12.34', 'DECIMAL_POINT', '"12.34": a point separates thousands, and a comma centavos: write "12,34" for R$ 12,34'],
    ['12.3', 'DECIMAL_POINT', '"12.3": a point separates thousands, and a comma centavos: write "12,30" for R$ 12,30'],
    ['1,234.56', 'DECIMAL_POINT', '"1,234.56": a point separates thousands, and a comma centavos: write "1234,56" for R$ 1234,56'],
    ['0.123', 'DECIMAL_POINT', '"0.123": a point separates thousands, and a comma centavos'],
    ['1234.567', 'DECIMAL_POINT', '"1234.567": a point separates thousands, and a comma centavos'],
    ['1,23.4', 'FORM'],
    ['1,234', 'CENTAVOS', '"1,234": there are at most two digits after the comma'],
    ['1.234,567', 'CENTAVOS', '"1.234,567": there are at most two digits after the comma'],
    ...['', ' ', 'R$', '-', 'R$ -', '1e3', '0x10', '٣', '１２', '1 234', "1'234", '12,', ',50', '.5', '1..234', '1.23.456', '1.234.', '1,2,3', '--5',
      '-R$ -5', '+5', '5-', '(5)', 'US$ 5', '5 R$', 'NaN', 'Infinity', '5;', '1\n2'].map((each) => [each, 'FORM']),
  ]) {
    test(`refuses ${JSON.stringify(text)}`, () => assert.throws(() => parseBRL(text), (error) => {
      assert.ok(error instanceof AmountError);
      assert.equal(error.problem, problem);
      assert.equal(error.message, message ?? `${JSON.stringify(text)} is not an amount such as 1.234,56`);
      return true;
    }));
  }

  test('reads what formatBRL writes', () => {
    for (const cents of [0n, -1n, 99n, 100n, -123456789n, 2n ** 70n]) assert.equal(parseBRL(formatBRL(cents)), cents);
  });
});
