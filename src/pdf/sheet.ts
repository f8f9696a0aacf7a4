// The paper that labels are put on: one a sheet or several, reduced, enlarged or turned to fit, with a line below each.
import { decodePDFRawStream, type PDFContext, type PDFDict, PDFName, type PDFRef } from '@cantoo/pdf-lib';
import type { PageSize } from '../paper.ts';
import type { Font } from './font.ts';
import { A4, brokenAt } from './page.ts';
import { type Box, composed, contentOf, type Matrix, operands, seenAs } from './seen.ts';
import { Unreadable } from './whole.ts';

const name = PDFName.of;

/** How labels are put on paper; without any of these each has a page of its own size. */
export interface Sheet {
  /** The paper of each label. */
  paper?: PageSize | undefined;
  /** So many labels on each A4 page. */
  perPage?: 2 | 4 | undefined;
}

/** A label that is to be put on paper, and the line below it. */
export interface Placed {
  page: PDFDict;
  stamp: string | undefined;
}

/** Below this part of its size a bar code may not be read. */
export const LEAST_SCALE = 0.9;

/** The letters of a stamp, and the strip below a label that it stands in, in points. */
const LETTERS = 8;
const STRIP = 14;

/** The places of a page, the first one above and on the left. */
function placesOf({ paper, perPage }: Sheet): { page: PageSize; places: Box[] } | undefined {
  if (perPage === undefined) {
    return paper && { page: paper, places: [{ x: 0, y: 0, ...paper }] };
  }
  const [columns, rows] = perPage === 2 ? [1, 2] : [2, 2];
  const size = { width: A4.width / columns, height: A4.height / rows };
  const places = Array.from({ length: perPage }, (_, index) => ({
    x: (index % columns) * size.width,
    y: A4.height - (Math.floor(index / columns) + 1) * size.height,
    ...size,
  }));
  return { page: A4, places };
}

/** Puts labels on pages, one after the other. */
export class SheetPages {
  readonly #context: PDFContext;
  readonly #sheet: Sheet;
  readonly #font: () => Promise<Font>;
  readonly #fontRef: PDFRef;
  readonly #push: (page: PDFDict) => void;
  /** The page that has room for more labels, and how many it has. */
  #open: { page: PDFDict; count: number; pictures: PDFDict; operators: string[] } | undefined;

  /** `push`: adds a page to the file. */
  constructor(
    context: PDFContext,
    sheet: Sheet,
    font: { ref: PDFRef; load(): Promise<Font> },
    push: (page: PDFDict) => void,
  ) {
    this.#context = context;
    this.#sheet = sheet;
    this.#font = font.load;
    this.#fontRef = font.ref;
    this.#push = push;
  }

  /** The size of the page that a label of that size is put on. */
  pageSize(size: PageSize | undefined): PageSize | undefined {
    return placesOf(this.#sheet)?.page ?? (size && pageOf(size, STRIP).page);
  }

  /** Gives the letters of the stamp that cannot be printed. Throws `Unreadable` if the label would be too small on its place. */
  async add({ page, stamp }: Placed): Promise<string> {
    const seen = seenAs(page);
    if (seen === undefined) throw new Unreadable({ fault: 'pdf-damaged' });
    const strip = stamp === undefined ? 0 : STRIP;
    const { page: paper, places } = placesOf(this.#sheet) ?? pageOf(seen.size, strip);
    const count = this.#open?.count ?? 0;
    const place = places[count % places.length] as Box;
    const room = { ...place, y: place.y + strip, height: place.height - strip };
    const matrix = this.#fitted(seen.size, room);
    const picture = `Label${count}`;
    this.#open ??= this.#begin(paper);
    this.#open.pictures.set(name(picture), pictureOf(this.#context, page, seen.box));
    this.#open.operators.push(`q ${operands(composed(seen.matrix, matrix))} cm /${picture} Do Q`);
    const printed = stamp === undefined ? undefined : (await this.#font()).printable(stamp);
    if (printed) this.#open.operators.push(await this.#stamped(printed.text, place));
    this.#open.count += 1;
    if (this.#open.count === places.length) this.end();
    return printed?.lost ?? '';
  }

  /** Ends the page that has room for more. */
  end(): void {
    if (this.#open === undefined) return;
    const { page, operators } = this.#open;
    page.set(name('Contents'), this.#context.register(this.#context.flateStream(operators.join('\n'))));
    this.#open = undefined;
  }

  #begin({ width, height }: PageSize) {
    const pictures = this.#context.obj({}) as PDFDict;
    const page = this.#context.obj({
      Type: 'Page',
      MediaBox: [0, 0, width, height],
      Resources: { XObject: pictures, Font: { F: this.#fontRef } },
    }) as PDFDict;
    this.#push(page);
    return { page, count: 0, pictures, operators: [] as string[] };
  }

  /** What moves a label of that size into its room: in its middle, turned where it is larger so. */
  #fitted({ width, height }: PageSize, room: Box): Matrix {
    const upright = Math.min(room.width / width, room.height / height);
    const turned = Math.min(room.width / height, room.height / width);
    // A label that is as large both ways is not turned, whatever the last digits are.
    const isTurned = turned > upright * 1.001;
    const most = this.#sheet.perPage === undefined ? Number.POSITIVE_INFINITY : 1;
    const scale = Math.min(isTurned ? turned : upright, most);
    if (scale < LEAST_SCALE)
      throw new Unreadable({ fault: 'paper-too-small', percent: Math.round(scale * 100) });
    const [across, upward] = isTurned ? [height, width] : [width, height];
    const [left, bottom] = [
      room.x + (room.width - across * scale) / 2,
      room.y + (room.height - upward * scale) / 2,
    ];
    return isTurned
      ? [0, scale, -scale, 0, left + across * scale, bottom]
      : [scale, 0, 0, scale, left, bottom];
  }

  /** The line in the strip at the foot of a place. */
  async #stamped(stamp: string, { x, y, width }: Box): Promise<string> {
    const font = await this.#font();
    const [line = ''] = brokenAt(font, stamp, LETTERS, width - 2 * LETTERS);
    const text = line === stamp ? line : `${line}…`;
    const left = x + (width - font.widthOf(text, LETTERS)) / 2;
    const at = [left, y + (STRIP - LETTERS) / 2 + 1].map(value => value.toFixed(3)).join(' ');
    return `BT /F ${LETTERS} Tf 0 g ${at} Td ${font.encoded(text)} Tj ET`;
  }
}

/** A page as large as its label, with a strip below it. */
const pageOf = ({ width, height }: PageSize, strip: number): { page: PageSize; places: Box[] } => {
  const page = { width, height: height + strip };
  return { page, places: [{ x: 0, y: 0, ...page }] };
};

/** The visible part of a page as a picture of another one. */
function pictureOf(context: PDFContext, page: PDFDict, { x, y, width, height }: Box): PDFRef {
  const resources = page.get(name('Resources'));
  const group = page.get(name('Group'));
  const content = contentOf(page, stream => decodePDFRawStream(stream).decode());
  return context.register(
    context.flateStream(content, {
      Type: 'XObject',
      Subtype: 'Form',
      BBox: [x, y, x + width, y + height],
      ...(resources && { Resources: resources }),
      ...(group && { Group: group }),
    }),
  );
}
