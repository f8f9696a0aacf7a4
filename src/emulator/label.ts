import type { Font } from '../pdf/font.ts';
import { brokenAt, type Drawn } from '../pdf/page.ts';
import { createPdf } from '../pdf/pdf.ts';
import type { Party } from './world.ts';

interface LabelText {
  carrier: string;
  service: string;
  /** Printable ASCII, because it is printed as the barcode. */
  trackingNumber: string;
  reference: string;
  from: readonly string[];
  to: readonly string[];
  /** The weight of each piece in kilograms; there is at least one piece. */
  pieces: readonly number[];
}

// PDF counts in points from the lower left corner: 72 points are an inch. A page has 100 × 150 mm.
const WIDTH = 283.46;
const HEIGHT = 425.2;
const MARGIN = 17;
const INNER = WIDTH - 2 * MARGIN;

/** The first bytes of the file. The four high bytes tell other programs, such as mail programs, that the file is not text. */
const HEAD = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1');

/**
 * A label as PDF, with a page of 100 × 150 mm for each piece; the same text gives the same bytes. Long text is wrapped and made smaller, so
 * that all of it is printed. A letter that the font lacks is printed as `?`.
 */
export async function labelPdf(label: LabelText): Promise<Uint8Array> {
  const { carrier, service, trackingNumber, reference, from, to, pieces } = label;
  const pdf = createPdf(HEAD, 'Label');
  const font = await pdf.font();
  const part = partsIn(font);
  const numberSize = 13;
  const numberLeft = (WIDTH - font.widthOf(trackingNumber, numberSize)) / 2;
  const onEachPage = [
    drawnText(carrier, MARGIN, 398, 16, true),
    drawnText('Made by the waybill emulator. Not for shipping.', MARGIN, 378, 7),
    ...part('SERVICE', { x: 180, top: 414, width: 86, height: 38 }, 14, [service.toUpperCase()]),
    ruleAt(374),
    ...part('FROM', { x: MARGIN, top: 370, width: INNER, height: 72 }, 9, from),
    ruleAt(296),
    ...part('TO', { x: MARGIN, top: 293, width: INNER, height: 108 }, 13, to),
    ruleAt(183),
    ...part('REFERENCE', { x: 121, top: 180, width: 145, height: 28 }, 12, [reference]),
    ruleAt(149),
    ...bars(trackingNumber),
    drawnText(trackingNumber, numberLeft, 43, numberSize, true),
  ];
  const pages = pieces.map((kg, index) => [
    ...onEachPage,
    ...part('PIECE', { x: MARGIN, top: 180, width: 46, height: 28 }, 12, [
      `${index + 1} of ${pieces.length}`,
    ]),
    ...part('WEIGHT', { x: 67, top: 180, width: 50, height: 28 }, 12, [`${Number(kg.toFixed(3))} kg`]),
  ]);
  await pdf.draw(pages.map(drawn => ({ width: WIDTH, height: HEIGHT, drawn })));
  return pdf.bytes();
}

/** The lines of a sender or receiver as they are printed. */
export function addressLines(party: Party): string[] {
  const { firstName, lastName, companyName, phone, address } = party;
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

const LINE_HEIGHT = 1.25;
const TITLE_SIZE = 6;

interface Box {
  x: number;
  top: number;
  width: number;
  height: number;
}

/** Draws a small title, and below it lines with letters of `largest` points, or smaller ones, so that all lines fit. */
const partsIn =
  (font: Font) =>
  (title: string, { x, top, width, height }: Box, largest: number, lines: readonly string[]): Drawn[] => {
    const texts = lines.map(written => font.printable(written).text);
    const room = height - TITLE_SIZE * LINE_HEIGHT;
    const wrap = (size: number) => texts.flatMap(shown => brokenAt(font, shown, size, width));
    // A first size: larger letters would have a larger area than the whole box.
    let size = Math.min(largest, Math.sqrt((width * room) / (LINE_HEIGHT * font.widthOf(texts.join(''), 1))));
    let wrapped = wrap(size);
    while (wrapped.length * size * LINE_HEIGHT > room) {
      size *= 0.95;
      wrapped = wrap(size);
    }
    const first = top - TITLE_SIZE * LINE_HEIGHT - size * 1.05;
    return [
      drawnText(title, x, top - TITLE_SIZE, TITLE_SIZE),
      ...wrapped.map((shown, index) => drawnText(shown, x, first - index * size * LINE_HEIGHT, size, true)),
    ];
  };

const drawnText = (shown: string, x: number, y: number, size: number, isBold = false): Drawn => ({
  kind: 'text',
  text: shown,
  x,
  y,
  size,
  isBold,
});

const ruleAt = (y: number): Drawn => ({ kind: 'rule', x: MARGIN, y, width: INNER, thickness: 0.7 });

const QUIET_MODULES = 10;

/** The bars of the barcode, as wide as the page together with its quiet zones. */
function bars(content: string): Drawn[] {
  const widths = code128(content);
  const module = WIDTH / widths.reduce((sum, width) => sum + width, 2 * QUIET_MODULES);
  let x = QUIET_MODULES * module;
  return widths.flatMap((width, index) => {
    const left = x;
    x += width * module;
    const isBar = index % 2 === 0;
    return isBar ? [{ kind: 'rule', x: left, y: 60, width: width * module, thickness: 82 }] : [];
  });
}

// Code 128 (ISO/IEC 15417), code set B: one symbol for each printable ASCII character.

// The widths of three bars and three spaces, by symbol value. The last symbol, stop, has one more bar.
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
 * The widths of bar, space, bar, … in modules. They begin and end with a bar, without quiet zones. Throws a RangeError for a character that
 * is not printable ASCII.
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
