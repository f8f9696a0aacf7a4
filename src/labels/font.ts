// The letters of what we print ourselves: one font with Latin, Greek and Cyrillic letters, of which a file gets what it shows.
import { create } from '@cantoo/fontkit';
import { CustomFontSubsetEmbedder, type PDFContext, type PDFRef } from '@cantoo/pdf-lib';
import { font as bytes } from '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf';

/** Each letter stands for itself, and is as wide alone as in a word: text can be searched, and lines be broken by their width. */
const FEATURES = { liga: false, clig: false, calt: false, kern: false, ccmp: false, locl: false };

/** Letters of scripts that are written from left to right without joining: others would be there, and still be wrong. */
const WRITTEN = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]/u;

/** In place of a letter that is not in the font. */
const MISSING = '?';

export interface Font {
  /** Text as one line with what the font has of it; `lost`: the letters that it lacks. */
  printable(written: string): { text: string; lost: string };
  /** In points, of text that `printable` gave. */
  widthOf(text: string, size: number): number;
  /** The text as an operand of a PDF. */
  encoded(text: string): string;
  /** Puts the letters that were encoded into the file. */
  embed(context: PDFContext, ref: PDFRef): Promise<unknown>;
}

export async function openFont(): Promise<Font> {
  const font = create(bytes);
  if (!('hasGlyphForCodePoint' in font)) throw new Error('the font is a collection of fonts');
  const embedder = await CustomFontSubsetEmbedder.for(
    { create: () => font },
    bytes,
    'WAYBIL+NotoSans',
    FEATURES,
  );
  const widths = new Map<string, number>();
  const widthOf = (letter: string): number => {
    const width = widths.get(letter) ?? embedder.widthOfTextAtSize(letter, 1);
    widths.set(letter, width);
    return width;
  };
  const has = (letter: string) =>
    WRITTEN.test(letter) && font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0);
  return {
    printable(written) {
      const text = written
        .normalize('NFC')
        .replace(/\s+/gu, ' ')
        .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Variation_Selector}]/gu, '')
        .trim();
      const lost = [...text].filter(letter => !has(letter)).join('');
      return { text: [...text].map(letter => (has(letter) ? letter : MISSING)).join(''), lost };
    },
    widthOf: (text, size) => [...text].reduce((sum, letter) => sum + widthOf(letter), 0) * size,
    encoded: text => embedder.encodeText(text).toString(),
    embed: (context, ref) => embedder.embedIntoContext(context, ref),
  };
}
