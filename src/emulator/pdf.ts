// Pages of text and lines as a PDF, written by hand: a witness shares no library with what reads its labels. PDF counts in points from the lower left corner: 72 of them are an inch.

/** The width of each letter of the Courier fonts, in sizes of the font. */
export const LETTER_WIDTH = 0.6;

/** Text that `inCodePage` gave, in the font `F1`, `F2`, …: the first one of the file, the second one, … */
export const drawText = (font: string, size: number, x: number, y: number, shown: string): string =>
  `BT /${font} ${rounded(size)} Tf ${rounded(x)} ${rounded(y)} Td (${shown.replace(/[\\()]/g, '\\$&')}) Tj ET`;

/** A line in lines of at most so many letters: broken between words, and within a word that is longer. */
export const wrappedAt = (line: string, most: number): string[] =>
  line.match(new RegExp(`\\S.{0,${most - 1}}(?!\\S)|\\S{${most}}`, 'g')) ?? [];

export const rounded = (points: number): string => points.toFixed(3);

// Windows-1252, the code page of the fonts, from 0x80 to 0x9f. Above it is as Unicode; a blank is no letter.
const FROM_80 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

// Letters that are not another one with a mark, as Unicode sees it.
const PLAIN: Readonly<Record<string, string>> = { ı: 'i', ł: 'l', Ł: 'L', đ: 'd', Đ: 'D', ħ: 'h', Ħ: 'H' };

/**
 * Text as one line in the code page, a character for each byte. A letter that it does not have loses its marks (`Şahin`
 * is `Sahin`); what is still not in it is `?`.
 */
export const inCodePage = (written: string): string =>
  [...written.normalize('NFC').replace(/\s+/g, ' ').trim()].map(byteOf).join('');

function byteOf(letter: string): string {
  // Marks and control characters that stand alone.
  if (/[\p{M}\p{Cc}\p{Cf}]/u.test(letter)) return '';
  for (const form of [letter, PLAIN[letter] ?? letter.normalize('NFD').charAt(0)]) {
    if (/[\x20-\x7e\xa1-\xff]/.test(form)) return form;
    const place = FROM_80.indexOf(form);
    if (place >= 0) return String.fromCharCode(0x80 + place);
  }
  return '?';
}

interface Paper {
  /** In points. */
  width: number;
  height: number;
  /** Fonts that every reader of PDF has. */
  fonts: readonly string[];
}

/** A PDF 1.4 with a page for each list of drawings. */
export function pdfOf({ width, height, fonts }: Paper, pages: readonly (readonly string[])[]): Uint8Array {
  const font = (name: string) =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const stream = (drawn: string) => `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`;
  const named = fonts.map((_, index) => `/F${index + 1} ${index + 3} 0 R`).join(' ');
  // Each page is an object, and its drawing the next one.
  const pageNumber = (index: number) => 3 + fonts.length + 2 * index;
  const kids = pages.map((_, index) => `${pageNumber(index)} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} /MediaBox [0 0 ${width} ${height}] /Resources << /Font << ${named} >> >> >>`,
    ...fonts.map(font),
    ...pages.flatMap((drawn, index) => [
      `<< /Type /Page /Parent 2 0 R /Contents ${pageNumber(index) + 1} 0 R >>`,
      stream(drawn.join('\n')),
    ]),
  ];
  // The four high bytes tell mail programs and the like that the file is not text.
  let file = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n';
  // The table at the end has the byte offset of each object; all characters are bytes.
  let offsets = '';
  for (const [index, object] of objects.entries()) {
    offsets += `${String(file.length).padStart(10, '0')} 00000 n \n`;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const size = objects.length + 1;
  const start = file.length;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${offsets}`;
  file += `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
