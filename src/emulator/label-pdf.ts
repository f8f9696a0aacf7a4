import { code128 } from './code128.ts';

export interface LabelText {
  carrier: string;
  /** Printable ASCII: it is the barcode. */
  trackingNumber: string;
  shipmentId: string;
  from: readonly string[];
  to: readonly string[];
}

// PDF counts in points from the lower left corner: 72 of them are an inch. The page is 100 × 150 mm.
const WIDTH = 283.46;
const HEIGHT = 425.2;
const MARGIN = 17;
const QUIET_MODULES = 10;
const BAR_HEIGHT = 80;
const MAX_CHARACTERS = 40;

/** A label of one page, 100 × 150 mm, as PDF 1.4; the same text gives the same bytes. */
export function labelPdf({ carrier, trackingNumber, shipmentId, from, to }: LabelText): Uint8Array {
  const drawn = [
    text('F2', 16, 395, carrier),
    text('F1', 7, 383, 'Made by the waybill emulator. Not for shipping.'),
    rule(375),
    block('FROM', 9, 362, from),
    rule(285),
    block('TO', 12, 270, to),
    rule(165),
    barcode(trackingNumber, 70),
    text('F2', 13, 50, trackingNumber),
    text('F1', 8, 30, shipmentId),
  ];
  return pdf(drawn.join('\n'));
}

const block = (title: string, size: number, top: number, lines: readonly string[]): string =>
  [
    text('F2', 7, top, title),
    ...lines.map((line, index) => text('F1', size, top - (index + 1) * (size + 3), line)),
  ].join('\n');

const text = (font: 'F1' | 'F2', size: number, y: number, line: string): string =>
  `BT /${font} ${size} Tf ${MARGIN} ${y} Td (${escaped(line)}) Tj ET`;

const rule = (y: number): string => `${MARGIN} ${y} ${(WIDTH - 2 * MARGIN).toFixed(2)} 0.7 re f`;

function barcode(content: string, y: number): string {
  const widths = code128(content);
  const modules = widths.reduce((sum, width) => sum + width, 2 * QUIET_MODULES);
  const module = WIDTH / modules;
  const bars: string[] = [];
  let x = QUIET_MODULES * module;
  for (const [index, width] of widths.entries()) {
    const isBar = index % 2 === 0;
    if (isBar) bars.push(`${x.toFixed(3)} ${y} ${(width * module).toFixed(3)} ${BAR_HEIGHT} re f`);
    x += width * module;
  }
  return bars.join('\n');
}

/** Text as the standard fonts can show it: Latin-1, what has a base letter there as that, the rest as `?`. */
function escaped(line: string): string {
  const shown = [...line].slice(0, MAX_CHARACTERS).map(character => {
    if (isLatin1(character)) return character;
    const base = character.normalize('NFD').charAt(0);
    return isLatin1(base) ? base : '?';
  });
  return shown.join('').replace(/[\\()]/g, '\\$&');
}

const isLatin1 = (character: string): boolean => /^[\x20-\x7e\xa0-\xff]$/.test(character);

// The cross-reference table gives the byte offset of each object, so all is written in one-byte characters.
function pdf(content: string): Uint8Array {
  const font = (name: string) =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${WIDTH} ${HEIGHT}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    font('Helvetica'),
    font('Helvetica-Bold'),
  ];
  // The four high bytes tell mail programs and the like that the file is not text.
  let file = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n';
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(file.length);
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const start = file.length;
  const entries = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
