import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparePrices, money } from '../../src/output/money.ts';

test.each<[price: unknown, string | undefined, string | undefined]>([
  [12.5, 'EUR', '12.50 EUR'],
  ['12.5', 'EUR', '12.50 EUR'],
  ['12.505', 'EUR', '12.505 EUR'],
  [0, 'EUR', '0.00 EUR'],
  ['1200', 'JPY', '1200 JPY'],
  ['1200.50', 'JPY', '1200.50 JPY'],
  [1.2, 'KWD', '1.200 KWD'],
  [12.5, 'eur', '12.50 eur'],
  [12.5, 'XYZ', '12.5 XYZ'],
  [12.5, undefined, '12.5'],
  [1e21, 'EUR', '1000000000000000000000.00 EUR'],
  ['ask us', 'EUR', 'ask us EUR'],
  ['1e999999', 'EUR', '1e999999 EUR'],
  ['1.234', 'EUR', '1.234 EUR'],
  [{ amount: 5 }, 'EUR', '{"amount":5} EUR'],
  [1e-7, 'EUR', '0.0000001 EUR'],
  [undefined, 'EUR', undefined],
  [null, 'EUR', undefined],
  ['', 'EUR', undefined],
])('money(%j, %j) is %j', (price, currency, shown) => {
  expect(money(price, currency)).toBe(shown);
});

test('no given digit is dropped', () => {
  const digits = fc.stringMatching(/^(0|[1-9][0-9]{0,12})\.[0-9]{1,8}$/);
  fc.assert(
    fc.property(digits, price => {
      expect(money(price, 'EUR')?.startsWith(price)).toBe(true);
    }),
  );
});

const inEuro = (left: unknown, right: unknown) => comparePrices(left, right, 'EUR');

test('prices are sorted by amount, whether number or text; text that is not a price comes last', () => {
  expect(['10', 'ask', 9.5, undefined, '9.45', 0].sort(inEuro)).toEqual([
    0,
    '9.45',
    9.5,
    '10',
    'ask',
    undefined,
  ]);
  expect(inEuro('1.50', 1.5)).toBe(0);
  expect(inEuro('x', 'y')).toBe(0);
  // It may be 1234.
  expect(inEuro('1.234', 5)).toBe(1);
  expect(comparePrices('1.234', 5, 'kwd')).toBe(-1);
});
