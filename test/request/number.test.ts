import { expect, test } from 'vitest';
import { numberOf } from '../../src/request/number.ts';

test.each([
  ['0', 0],
  ['007', 7],
  ['+5', 5],
  [' -1.5 ', -1.5],
  ['.5', 0.5],
  ['5.', 5],
  ['1e3', 1000],
  ['9007199254740992', 9007199254740992],
  ['100000000000000000000', 1e20],
])('%j is the number %d', (written, number) => {
  expect(numberOf(written)).toBe(number);
});

test.each(['', ' ', '.', '-0', '0x10', '0b11', '1_000', '1,5', '1e', 'NaN', 'Infinity', '1e999', '٣', '5kg'])(
  '%j is none',
  written => {
    expect(numberOf(written)).toBeUndefined();
  },
);

test.each(['9007199254740993', '12345678901234567890', '-12345678901234567890', '1'.repeat(400)])(
  '%j is no number, because it would be sent with other digits',
  written => {
    expect(numberOf(written)).toBeUndefined();
  },
);
