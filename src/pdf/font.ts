// The letters of pages that waybill draws: one font with Latin, Greek and Cyrillic letters. A file gets only the letters that it shows.
import { createHash } from 'node:crypto';
import { create } from '@cantoo/fontkit';
import { CustomFontSubsetEmbedder, type PDFContext, type PDFRef } from '@cantoo/pdf-lib';
import { font as bytes } from '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf';

/** Letters of scripts that are written from left to right, without joined letters: letters of other scripts would look wrong. */
const WRITTEN = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]/u;

/** Is printed in place of a letter that the font lacks. */
const MISSING = '?';

export type Font = Awaited<ReturnType<typeof openFont>>;

const opened = create(bytes);
if (!('hasGlyphForCodePoint' in opened)) throw new Error('the font is a collection of fonts');

/**
 * The font, read once for all files. Each letter has its own glyph, and is as wide alone as in a word: text can be searched, and lines be
 * broken by width. The rules of the font for layout are never read: to read them takes longer than to write a file.
 */
const font = Object.assign(opened, {
  layout: (text: string) => ({ glyphs: [...text].map(glyphOf) }),
});
const glyphs = new Map<string, Glyph>();

interface Glyph {
  id: number;
  advanceWidth: number;
  codePoints: number[];
}

/** The glyph of a letter that the font has. Where letters share a glyph, the font itself knows only the first of these letters. */
function glyphOf(letter: string): Glyph {
  const known = glyphs.get(letter);
  if (known) return known;
  const codePoint = codePointOf(letter);
  const { id = 0, advanceWidth = 0 } = font.glyphForCodePoint(codePoint) ?? {};
  const glyph = { id, advanceWidth, codePoints: [codePoint] };
  glyphs.set(letter, glyph);
  return glyph;
}

const codePointOf = (letter: string): number => letter.codePointAt(0) ?? 0;

const has = (letter: string): boolean =>
  WRITTEN.test(letter) && font.hasGlyphForCodePoint(codePointOf(letter));

/** Text as one line, of letters that the font has. `lost`: the letters that it lacks. */
function printable(written: string): { text: string; lost: string } {
  const text = written
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Variation_Selector}]/gu, '')
    .trim();
  const lost = [...text].filter(letter => !has(letter)).join('');
  return { text: [...text].map(letter => (has(letter) ? letter : MISSING)).join(''), lost };
}

/** The width of a text that `printable` gave, in points. */
function widthOf(text: string, size: number): number {
  let width = 0;
  for (const letter of text) width += glyphOf(letter).advanceWidth;
  return (width / font.unitsPerEm) * size;
}

/** The font as one file embeds it. */
export async function openFont() {
  const embedder = await CustomFontSubsetEmbedder.for({ create: () => font }, bytes);
  const encoded = new Set<string>();
  return {
    printable,
    widthOf,
    /** The text as an operand of a PDF. */
    encoded(text: string): string {
      for (const letter of text) encoded.add(letter);
      return embedder.encodeText(text).toString();
    },
    /** Puts the letters that were encoded into the file. */
    embed(context: PDFContext, ref: PDFRef): Promise<unknown> {
      return Object.assign(embedder, { customName: nameOf([...encoded].join('')) }).embedIntoContext(
        context,
        ref,
      );
    },
  };
}

/** The name of the embedded font depends on its letters: programs that merge files take fonts with one name for the same font. */
function nameOf(letters: string): string {
  const sum = createHash('sha256').update(letters).digest().subarray(0, 6);
  return `${[...sum].map(byte => String.fromCharCode(65 + (byte % 26))).join('')}+NotoSans`;
}
