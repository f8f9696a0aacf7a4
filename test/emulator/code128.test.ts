import { expect, test } from 'vitest';
import { code128 } from '../../src/emulator/label.ts';

test('a code is drawn as in the standard, and what has no symbol is refused', () => {
  // The literature's worked example: 104 + 1×48 + 2×42 + 3×42 + 4×17 + 5×18 + 6×19 + 7×35, modulo 103, is 55.
  const widths = code128('PJJ123C').join('');
  expect([widths.slice(0, 12), widths.slice(48, 54)]).toEqual(['211214313121', '311321']);
  expect(code128('A').join('')).toBe('211214' + '111323' + '131123' + '2331112');
  for (const text of ['Ö', '\n', '\u007f', '😀']) expect(() => code128(text)).toThrow(RangeError);
});
