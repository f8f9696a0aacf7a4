import { code128 } from './code128.ts';
import { latin } from './latin.ts';
import { pdf } from './pdf.ts';
import { inBox, LEADING, widthOf } from './text-box.ts';

export interface LabelText {
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
const PAGE = { width: 283.46, height: 425.2 };
const MARGIN = 17;
const INNER = PAGE.width - 2 * MARGIN;
const TITLE_SIZE = 6;
const QUIET_MODULES = 10;
const BAR_HEIGHT = 82;

/** A part of the page: its upper left corner and its size. */
interface Part {
  x: number;
  top: number;
  width: number;
  height: number;
}

const CARRIER = { x: MARGIN, top: 414, width: 155, height: 28 };
const SERVICE = { x: 180, top: 414, width: PAGE.width - MARGIN - 180, height: 38 };
const NOTE = { x: MARGIN, top: 385, width: 155, height: 10 };
const FROM = { x: MARGIN, top: 370, width: INNER, height: 72 };
const TO = { x: MARGIN, top: 293, width: INNER, height: 108 };
const PIECE = { x: MARGIN, top: 180, width: 66, height: 28 };
const WEIGHT = { x: 89, top: 180, width: 66, height: 28 };
const REFERENCE = { x: 161, top: 180, width: PAGE.width - MARGIN - 161, height: 28 };
const BARS_AT = 60;
const TRACKING_AT = 43;

/**
 * A label as PDF, with a page of 100 × 150 mm for each piece; the same text gives the same bytes. What is long is wrapped
 * and made smaller: nothing is left out.
 */
export function labelPdf(label: LabelText): Uint8Array {
  const { carrier, service, trackingNumber, reference, from, to, pieces } = label;
  const common = [
    written('F2', CARRIER, 16, [carrier]),
    written('F1', NOTE, 7, ['Made by the waybill emulator. Not for shipping.']),
    titled('SERVICE', SERVICE, 14, [service.toUpperCase()]),
    rule(374),
    titled('FROM', FROM, 9, from),
    rule(296),
    titled('TO', TO, 13, to),
    rule(183),
    titled('REFERENCE', REFERENCE, 12, [reference]),
    rule(149),
    barcode(trackingNumber),
    centred(13, TRACKING_AT, trackingNumber),
  ];
  const pages = pieces.map((kg, index) =>
    [
      titled('PIECE', PIECE, 12, [`${index + 1} of ${pieces.length}`]),
      titled('WEIGHT', WEIGHT, 12, [`${Number(kg.toFixed(3))} kg`]),
    ].join('\n'),
  );
  return pdf(PAGE, common.join('\n'), pages);
}

function titled(title: string, part: Part, largest: number, lines: readonly string[]): string {
  const used = TITLE_SIZE * LEADING;
  const below = { ...part, top: part.top - used, height: part.height - used };
  return `${written('F1', part, TITLE_SIZE, [title])}\n${written('F2', below, largest, lines)}`;
}

function written(font: 'F1' | 'F2', part: Part, largest: number, text: readonly string[]): string {
  const { size, lines } = inBox(text.map(latin), part, largest);
  // The first line hangs from the top.
  return lines
    .map((line, index) => shown(font, size, part.x, part.top - size * (0.95 + index * LEADING), line))
    .join('\n');
}

function centred(size: number, y: number, line: string): string {
  const width = (widthOf(line) * size) / 1000;
  return shown('F2', size, (PAGE.width - width) / 2, y, line);
}

const shown = (font: 'F1' | 'F2', size: number, x: number, y: number, line: string): string =>
  `BT /${font} ${rounded(size)} Tf ${rounded(x)} ${rounded(y)} Td (${line.replace(/[\\()]/g, '\\$&')}) Tj ET`;

const rule = (y: number): string => `${MARGIN} ${y} ${rounded(INNER)} 0.7 re f`;

function barcode(content: string): string {
  const widths = code128(content);
  const modules = widths.reduce((sum, width) => sum + width, 2 * QUIET_MODULES);
  const module = PAGE.width / modules;
  const bars: string[] = [];
  let x = QUIET_MODULES * module;
  for (const [index, width] of widths.entries()) {
    const isBar = index % 2 === 0;
    if (isBar) bars.push(`${rounded(x)} ${BARS_AT} ${rounded(width * module)} ${BAR_HEIGHT} re f`);
    x += width * module;
  }
  return bars.join('\n');
}

const rounded = (points: number): string => points.toFixed(3);
