import { describe, expect, test } from 'vitest';
import {
  read,
  readId,
  readNumber,
  readPrice,
  readText,
  readWeight,
  saysNo,
} from '../../src/contract/read.ts';

const NOTHING = [undefined, null, true, {}, [], ['1']];

describe('A number', () => {
  test.each([1.5, '1.5', ' 4.80 ', '-0.5'])('may be %j', value => {
    expect(read(readNumber, value)).toBe(Number(value));
  });

  test.each([...NOTHING, '', ' ', 'x', '1e3', '1,5', '0x10', 'Infinity', '9'.repeat(400)])(
    'is not %.20j',
    value => {
      expect(read(readNumber, value)).toBeUndefined();
    },
  );
});

test.each([0, '0.00', -1, '-4.8', ...NOTHING])('a weight is not %j', value => {
  expect(read(readWeight, value)).toBeUndefined();
});

describe('A price', () => {
  test.each([
    [12.5, 'EUR', '12.5'],
    [' 12.50 ', 'EUR', '12.50'],
    [1.234, 'EUR', '1.234'],
    ['1.23', undefined, '1.23'],
    ['1.2345', 'EUR', '1.2345'],
    ['1.234', 'KWD', '1.234'],
    ['1.234', ' bhd ', '1.234'],
  ])('%j %s is %s', (price, currency, text) => {
    expect(readPrice(price, currency)).toBe(text);
  });

  test.each([
    ...['1.234', '-1.234', '0.500', ' 12.345 '].map(price => [price, 'EUR']),
    ...[undefined, null, '', 'XYZ', 'TRY', 'JPY'].map(currency => ['1.234', currency]),
    ...['12,50', '1.234,50', '1e3', '', Number.NaN, ...NOTHING].map(price => [price, 'KWD']),
  ] as [unknown, string | null | undefined][])('is not %j %s', (price, currency) => {
    expect(readPrice(price, currency)).toBeUndefined();
  });
});

describe('An id', () => {
  test.each([
    ['A-1', 'A-1'],
    [17, '17'],
    ['007', '007'],
    ['0-A', '0-A'],
    ['nullable', 'nullable'],
  ])('may be %j', (value, id) => {
    expect(read(readId, value)).toBe(id);
  });

  const none = [0, -1, '0', ' 00 ', '-17', 'null', 'undefined', 'NULL', '-', '{}'];
  const guids = ['00000000-0000-0000-0000-000000000000', '{00000000-0000-0000-0000-000000000000}'];
  test.each([...NOTHING, '', ' ', 1.5, 2 ** 53, Number.NaN, ...none, ...guids])('is not %j', value => {
    expect(read(readId, value)).toBeUndefined();
  });
});

test('success: false may be text', () => {
  const said = [false, 'false', ' FALSE '].map(success => saysNo({ success }));
  expect(said).toEqual([true, true, true]);
  const unsaid = [true, 'true', 0, '', null, undefined].map(success => saysNo({ success }));
  expect([...unsaid, saysNo(null), saysNo(false)]).not.toContain(true);
});

test('a number counts as its text', () => {
  expect([read(readText, 3), read(readText, 'x'), read(readText, {})]).toEqual(['3', 'x', undefined]);
});
