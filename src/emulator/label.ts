import { drawText, inCodePage, LETTER_WIDTH, pdfOf, rounded, wrappedAt } from './pdf.ts';
import type { Party } from './world.ts';

// A label as PDF, written by hand: bars and text are all that it has.

interface LabelText {
  carrier: string;
  service: string;
  /** Printable ASCII: it is the barcode. */
  trackingNumber: string;
  reference: string;
  from: readonly string[];
  to: readonly string[];
  /** The weight of each piece in kilograms; there is at least one. */
  pieces: readonly number[];
}

// PDF counts in points from the lower left corner: 72 of them are an inch. A page is 100 × 150 mm.
const WIDTH = 283.46;
const HEIGHT = 425.2;
const MARGIN = 17;
const INNER = WIDTH - 2 * MARGIN;

/**
 * A label with a page of 100 × 150 mm for each piece; the same text gives the same bytes. What is long is wrapped and made
 * smaller: nothing is left out.
 */
export function labelPdf(label: LabelText): Uint8Array {
  const { carrier, service, trackingNumber, reference, from, to, pieces } = label;
  const numberSize = 13;
  const numberLeft = (WIDTH - trackingNumber.length * numberSize * LETTER_WIDTH) / 2;
  const onEachPage = [
    drawText(BOLD, 16, MARGIN, 398, carrier),
    drawText(SMALL, 7, MARGIN, 378, 'Made by the waybill emulator. Not for shipping.'),
    part('SERVICE', { x: 180, top: 414, width: 86, height: 38 }, 14, [service.toUpperCase()]),
    line(374),
    part('FROM', { x: MARGIN, top: 370, width: INNER, height: 72 }, 9, from),
    line(296),
    part('TO', { x: MARGIN, top: 293, width: INNER, height: 108 }, 13, to),
    line(183),
    part('REFERENCE', { x: 161, top: 180, width: 105, height: 28 }, 12, [reference]),
    line(149),
    ...bars(trackingNumber),
    drawText(BOLD, numberSize, numberLeft, 43, trackingNumber),
  ];
  const pages = pieces.map((kg, index) => [
    part('PIECE', { x: MARGIN, top: 180, width: 66, height: 28 }, 12, [`${index + 1} of ${pieces.length}`]),
    part('WEIGHT', { x: 89, top: 180, width: 66, height: 28 }, 12, [`${Number(kg.toFixed(3))} kg`]),
  ]);
  return pdfOf(
    { width: WIDTH, height: HEIGHT, fonts: ['Helvetica', 'Courier-Bold'] },
    pages.map(drawn => [...onEachPage, ...drawn]),
  );
}

/** A sender or receiver, as it is printed. */
export function addressLines({ firstName, lastName, companyName, phone, address }: Party): string[] {
  const { line1, line2, district, nationalShortAddress, zipCode, city, country } = address;
  const countryName = new Intl.DisplayNames(['en'], { type: 'region' }).of(country.code)?.toUpperCase();
  const lines = [
    `${firstName} ${lastName}`,
    companyName,
    line1,
    line2,
    nationalShortAddress,
    district,
    `${zipCode} ${city}`,
    `${countryName} (${country.code})`,
    `Phone ${phone.code} ${phone.number}`,
  ];
  return lines.filter((line): line is string => line !== undefined && line.trim() !== '');
}

// Two fonts that every reader of PDF has. In the second all letters have one width, in sizes of the font.
const SMALL = 'F1';
const BOLD = 'F2';
const LINE_HEIGHT = 1.2;
const TITLE_SIZE = 6;

interface Box {
  x: number;
  top: number;
  width: number;
  height: number;
}

/** A small title, and lines below it: of `largest` points, or as much smaller as it takes for all of them to fit. */
function part(title: string, { x, top, width, height }: Box, largest: number, lines: readonly string[]) {
  const texts = lines.map(inCodePage);
  const room = height - TITLE_SIZE * LINE_HEIGHT;
  // Above it the letters alone have more area than the box.
  const bound = Math.sqrt((width * room) / (LETTER_WIDTH * LINE_HEIGHT * texts.join('').length));
  let size = Math.min(largest, bound);
  let wrapped = wrap(texts, width / size);
  while (wrapped.length * size * LINE_HEIGHT > room) {
    size *= 0.95;
    wrapped = wrap(texts, width / size);
  }
  const first = top - TITLE_SIZE * LINE_HEIGHT - size * 0.95;
  return [
    drawText(SMALL, TITLE_SIZE, x, top - TITLE_SIZE, title),
    ...wrapped.map((shown, index) => drawText(BOLD, size, x, first - index * size * LINE_HEIGHT, shown)),
  ].join('\n');
}

/** Breaks lines between words, and within a word that is wider than a line. `width`: in sizes of the font. */
function wrap(lines: readonly string[], width: number): string[] {
  const most = Math.max(1, Math.floor(width / LETTER_WIDTH));
  return lines.flatMap(line => wrappedAt(line, most));
}

const line = (y: number): string => `${MARGIN} ${y} ${rounded(INNER)} 0.7 re f`;

const QUIET_MODULES = 10;

/** The barcode, as wide as the page with its quiet zones. */
function bars(content: string): string[] {
  const widths = code128(content);
  const module = WIDTH / widths.reduce((sum, width) => sum + width, 2 * QUIET_MODULES);
  let x = QUIET_MODULES * module;
  return widths.flatMap((width, index) => {
    const left = x;
    x += width * module;
    const isBar = index % 2 === 0;
    return isBar ? [`${rounded(left)} 60 ${rounded(width * module)} 82 re f`] : [];
  });
}

// Code 128 (ISO/IEC 15417), code set B: one symbol for each printable ASCII character.

// Widths of three bars and three spaces, by symbol value; the last one, stop, has a bar more.
const SYMBOLS: readonly string[] = (
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 ' +
  '113222 123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 ' +
  '212123 212321 232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 ' +
  '113123 113321 133121 313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 ' +
  '314111 221411 431111 111224 111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 ' +
  '241211 221114 413111 241112 134111 111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 ' +
  '214121 412121 111143 111341 131141 114113 114311 411113 411311 113141 114131 311141 411131 211412 211214 ' +
  '211232 2331112'
).split(' ');

const START_B = 104;
const STOP = 106;
const CHECK_MODULUS = 103;
const FIRST = 32;
const LAST = 126;

/**
 * The widths of bar, space, bar, … in modules, beginning and ending with a bar, quiet zones not included.
 * Throws a RangeError on a character outside printable ASCII.
 */
function code128(text: string): number[] {
  const values = [...text].map(character => {
    const code = character.codePointAt(0) ?? 0;
    if (code < FIRST || code > LAST)
      throw new RangeError(`Code 128 B has no symbol for ${JSON.stringify(character)}.`);
    return code - FIRST;
  });
  // The check symbol weights each value by its position; the start symbol counts once.
  const check = values.reduce((sum, value, index) => sum + value * (index + 1), START_B) % CHECK_MODULUS;
  return [START_B, ...values, check, STOP].flatMap(value => [...(SYMBOLS[value] ?? '')].map(Number));
}
