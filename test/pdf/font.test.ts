// The letters of a file: which ones are printed, and what of the font the file gets.
import { expect, test } from 'vitest';
import { openFont } from '../../src/pdf/font.ts';
import { createPdf } from '../../src/pdf/pdf.ts';

test('text is one line of what the font has, and the rest is named', async () => {
  const font = await openFont();
  expect(font.printable(' Zoe\u0308\n 李\u200bA ')).toEqual({ text: 'Zoë ?A', lost: '李' });
  expect(font.printable('Ġużè Đorđe ß € ₺ – №')).toEqual({ text: 'Ġużè Đorđe ß € ₺ – №', lost: '' });
  expect(font.printable('שלום 😀').lost).toBe('שלום😀');
});

/** A file with this text on a page of its own. */
async function written(text: string): Promise<string> {
  const pdf = createPdf(Buffer.from('%PDF-1.7\n'));
  await pdf.draw([
    { width: 300, height: 300, drawn: [{ kind: 'text', text, x: 9, y: 9, size: 9, isBold: false }] },
  ]);
  return Buffer.from(await pdf.bytes()).toString('latin1');
}

test('the same text gives the same bytes whatever was written before, and other letters a font of another name', async () => {
  const first = await written('Łódź 1');
  const other = await written('źdóŁ Αθήνα');
  expect(await written('Łódź 1')).toBe(first);
  const [one, another] = [first, other].map(file => new Set(file.match(/[A-Z]{6}\+NotoSans/g)));
  expect([one?.size, another?.size]).toEqual([1, 1]);
  expect(one).not.toEqual(another);
});
