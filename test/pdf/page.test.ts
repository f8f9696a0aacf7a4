// Rows on pages: whatever the texts and the size of the page are, nothing is lost and nothing stands beside the page.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openFont } from '../../src/pdf/font.ts';
import { createPages } from '../../src/pdf/page.ts';
import { runs } from '../torture/size.ts';

test('rows of any text keep all letters in order, within every page, and each page begins with its head and ends with its number', async () => {
  const font = await openFont();
  const word = fc.string({ unit: fc.constantFrom(...'aWi.ŞłЖω'), minLength: 1, maxLength: 90 });
  const line = fc.array(word, { minLength: 1, maxLength: 12 }).map(words => words.join(' '));
  const row = fc.array(fc.array(line, { maxLength: 3 }), { minLength: 1, maxLength: 4 });
  const size = fc.record({
    width: fc.integer({ min: 226, max: 900 }),
    height: fc.integer({ min: 280, max: 900 }),
  });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), size, fc.boolean(), (rows, page, isRight) => {
      const head = { lines: ['HEAD'], share: 1 };
      const pages = createPages(font, page, 9, at => at.row([head]));
      for (const cells of rows) {
        pages.row(cells.map(lines => ({ lines, share: 1 / cells.length, isRight })));
        pages.rule();
      }
      const name = rows.flat(2).join(' ');
      const drawn = pages.finish(name).map(one => one.drawn.filter(part => part.kind === 'text'));
      for (const parts of drawn) {
        expect(parts[0]?.text).toBe('HEAD');
        expect(parts.at(-1)?.text).toMatch(/Page \d+ of \d+$/);
        for (const { text, x, y, size: points } of parts) {
          expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
          expect(y + points).toBeLessThanOrEqual(page.height);
          expect(x + font.widthOf(text, points)).toBeLessThanOrEqual(page.width);
        }
      }
      const shown = drawn.flatMap(parts => parts.slice(1, -1));
      // Cells stand side by side: what is in one of them is found by where it begins.
      const letters = (text: string) => text.replaceAll(' ', '');
      const all = [...letters(shown.map(({ text }) => text).join(''))].sort().join('');
      expect(all).toBe([...letters(rows.flat(2).join(''))].sort().join(''));
      if (rows.every(cells => cells.length === 1))
        expect(letters(shown.map(({ text }) => text).join(''))).toBe(letters(rows.flat(2).join('')));
    }),
    runs(40),
  );
});
