import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { daysIn } from '../../src/contract/proposals.ts';
import { runs } from '../torture/size.ts';

describe('A delivery time is read in days', () => {
  test.each([
    ['2-4', [2, 4]],
    ['5', [5, 5]],
    ['1-2 weeks', [7, 14]],
    ['1 - 2w', [7, 14]],
    ['3 or 5h', [1, 1]],
    ['36 hours - 2w', [2, 14]],
    ['24 hours', [1, 1]],
    ['25h', [2, 2]],
    ['24-48 hrs', [1, 2]],
    ['3 business days', [3, 3]],
    ['2\u20134 Working-Days', [2, 4]],
    ['1 day to 2 weeks', [1, 14]],
    ['within 2-3 days', [2, 3]],
    ['Up to 5 Days', [5, 5]],
    ['between 2 and 4 days', [2, 4]],
    ['5-3 days', [3, 5]],
    ['0-1 days', [0, 1]],
    ['2/4 days', [2, 4]],
    ['1.5 days', [1.5, 1.5]],
    ['10-15 \u0130\u015e G\u00dcN\u00dc', [10, 15]],
    ['10-15 \u0130\u015e G\u00dcN\u00dc'.normalize('NFD'), [10, 15]],
    ['1-2 HAFTA', [7, 14]],
  ])('%j', (text, days) => {
    expect(daysIn(text)).toEqual(days);
  });
});

describe('A delivery time is not guessed:', () => {
  test.each([
    ...['', 'soon', 'two days', '1-2 months', '3+ days', 'more than 3 days', '3 days or more', '1-'],
    ...['1 week - 2', '0', '0 days', '0-0', '11/25', '11/25/26', '2026-03-05', '12:00', '1,5 days'],
    ...['1-2-3 days', '9'.repeat(70), `1${' '.repeat(1e6)}x`],
  ])('%.30j', text => {
    const days = daysIn(text);
    // A long number is a number.
    if (/^9+$/.test(text)) expect(days?.[1]).toBeGreaterThan(1e60);
    else expect(days).toBeUndefined();
  });

  test('any text is read as finite days with the shorter time first, or not at all', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[0-9 .dayswekhours-]{0,20}$/)),
        text => {
          const [least, most] = daysIn(text) ?? [0, 0];
          expect(least).toBeLessThanOrEqual(most);
          expect(most).toBeLessThan(Number.POSITIVE_INFINITY);
          if (!/\d/.test(text)) expect(daysIn(text)).toBeUndefined();
        },
      ),
      runs(100),
    );
  });
});
