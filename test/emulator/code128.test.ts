import fc from 'fast-check';
import { expect, test } from 'vitest';
import { code128 } from '../../src/emulator/code128.ts';

const printable = fc.string({
  unit: fc.integer({ min: 32, max: 126 }).map(code => String.fromCharCode(code)),
  maxLength: 40,
});
const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width, 0);

test('a known code is drawn as in the standard', () => {
  // The literature's worked example: 104 + 1×48 + 2×42 + 3×42 + 4×17 + 5×18 + 6×19 + 7×35, modulo 103, is 55.
  expect(code128('PJJ123C').join('').slice(0, 12)).toBe('211214313121');
  expect(code128('PJJ123C').join('').slice(48, 54)).toBe('311321');
  expect(code128('A').join('')).toBe('211214' + '111323' + '131123' + '2331112');
});

test('every symbol is 11 modules wide, the stop 13, and different texts give different codes', () => {
  fc.assert(
    fc.property(printable, printable, (one, other) => {
      const widths = code128(one);
      expect(sum(widths)).toBe(11 * (one.length + 2) + 13);
      expect(widths).toHaveLength(6 * (one.length + 2) + 7);
      for (let at = 0; at < widths.length - 7; at += 6) {
        // Set B is self-checking: the bars of a symbol are an even number of modules together.
        const [a = 0, , b = 0, , c = 0] = widths.slice(at, at + 6);
        expect((a + b + c) % 2).toBe(0);
      }
      expect(code128(other).join('') === widths.join('')).toBe(one === other);
    }),
  );
});

test.each(['Ö', '\n', '\u007f', '😀'])('%j has no symbol', text => {
  expect(() => code128(text)).toThrow(RangeError);
});
