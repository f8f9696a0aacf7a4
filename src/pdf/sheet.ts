// The paper that labels are put on: one label or several on a sheet, reduced, enlarged or turned to fit, with a line of text below each.
import { decodePDFRawStream, type PDFContext, type PDFDict, PDFName, type PDFRef } from '@cantoo/pdf-lib';
import type { PageSize } from '../paper.ts';
import type { Font } from './font.ts';
import { A4, brokenAt } from './page.ts';
import { type Box, composed, type Matrix, matrixOperands, operatorsOf, type Seen, seenAs } from './seen.ts';
import { Unreadable } from './whole.ts';

const name = PDFName.of;

/** How labels are put on paper. With neither field, each label has a page of its own size. */
export interface Sheet {
  /** The paper for each label. */
  paper?: PageSize | undefined;
  /** How many labels stand on each A4 page. */
  perPage?: 2 | 4 | undefined;
}

/** A page of a label that fits its place on the paper, and can be drawn there. */
interface Ready {
  page: PDFDict;
  seen: Seen;
  content: Uint8Array;
}

/** What could not be printed of the line below a label: `lost` letters, and an end that has no room. */
export interface Stamped {
  lost: string;
  isStampCut: boolean;
}

/** The least size of a label on paper, in percent of its own: below it a bar code may not be readable. */
const LEAST_PERCENT = 90;

/** The sizes of letters that a stamp (the line below a label) may have; and the height of the strip that it stands in, in points. */
const SMALLEST = 6;
const LETTERS = [8, 7, SMALLEST] as const;
const STRIP = 14;
/** The room that a stamp leaves free at its sides, in points. */
const SIDE = 8;

/** The places for labels on a page; the first place is at the upper left. */
function placesOf(sheet: Sheet): { page: PageSize; places: Box[] } | undefined {
  if (sheet.perPage === undefined) {
    return sheet.paper && { page: sheet.paper, places: [{ x: 0, y: 0, ...sheet.paper }] };
  }
  const [columns, rows] = sheet.perPage === 2 ? [1, 2] : [2, 2];
  const size = { width: A4.width / columns, height: A4.height / rows };
  const places = Array.from({ length: sheet.perPage }, (_, index) => ({
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
  /** The page that still has room for labels, and the number of labels on it. */
  #open:
    | { page: PDFDict; count: number; pictures: PDFDict; resources: PDFDict; operators: string[] }
    | undefined;

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

  /** The size of the page for a label of a size. */
  pageSize(size: PageSize | undefined, isStamped: boolean): PageSize | undefined {
    return size && this.#paperOf(size, isStamped).page;
  }

  /** The pages of a label, checked before one of them is placed. Throws `Unreadable` if a page would be too small, or cannot be drawn. */
  checked(pages: readonly PDFDict[], isStamped: boolean): Ready[] {
    return pages.map(page => {
      const visible = seenAs(page);
      if (visible === undefined) throw new Unreadable({ fault: 'pdf-damaged' });
      // All places on a page have the same size.
      const [place] = this.#paperOf(visible.size, isStamped).places;
      if (place) this.#fitted(visible.size, aboveStamp(place, isStamped));
      return {
        page,
        seen: visible,
        content: operatorsOf(page, stream => decodePDFRawStream(stream).decode()),
      };
    });
  }

  /** Places a page of a label. `stamp`: the line below it. */
  async add(ready: Ready, stamp?: string): Promise<Stamped> {
    const { page, seen, content } = ready;
    const font = stamp === undefined ? undefined : await this.#font();
    const { page: paper, places } = this.#paperOf(seen.size, stamp !== undefined);
    const count = this.#open?.count ?? 0;
    const place = places[count % places.length] as Box;
    const matrix = this.#fitted(seen.size, aboveStamp(place, stamp !== undefined));
    const picture = `Label${count}`;
    this.#open ??= this.#begin(paper);
    const { operators, pictures, resources } = this.#open;
    pictures.set(name(picture), pictureOf(this.#context, page, content, seen.box));
    operators.push(`q ${matrixOperands(composed(seen.matrix, matrix))} cm /${picture} Do Q`);
    const printed = font?.printable(stamp ?? '');
    const line = font && printed && stampLines(font, printed.text, place.width - 2 * SIDE);
    if (font && line) {
      // A file that names a font must contain it: without a stamp no font is named.
      resources.set(name('Font'), this.#context.obj({ F: this.#fontRef }));
      operators.push(stampOperators(font, line, place));
    }
    this.#open.count += 1;
    if (this.#open.count === places.length) this.end();
    return { lost: printed?.lost ?? '', isStampCut: line?.isCut ?? false };
  }

  #paperOf(label: PageSize, isStamped: boolean): { page: PageSize; places: Box[] } {
    return placesOf(this.#sheet) ?? pageOf(label, isStamped ? STRIP : 0);
  }

  /** Ends the page that still has room: the next label begins a new page. */
  end(): void {
    if (this.#open === undefined) return;
    const { page, operators } = this.#open;
    page.set(name('Contents'), this.#context.register(this.#context.flateStream(operators.join('\n'))));
    this.#open = undefined;
  }

  #begin(size: PageSize) {
    const pictures = this.#context.obj({}) as PDFDict;
    const resources = this.#context.obj({ XObject: pictures }) as PDFDict;
    const page = this.#context.obj({ Type: 'Page', MediaBox: [0, 0, size.width, size.height] }) as PDFDict;
    page.set(name('Resources'), resources);
    this.#push(page);
    return { page, count: 0, pictures, resources, operators: [] as string[] };
  }

  /** The matrix that moves a label into the middle of its room, turned if it is larger that way. Throws `Unreadable`. */
  #fitted(size: PageSize, room: Box): Matrix {
    const { width, height } = size;
    const upright = Math.min(room.width / width, room.height / height);
    const turned = Math.min(room.width / height, room.height / width);
    // A label that would be as large both ways is not turned, even if rounding makes a small difference.
    const isTurned = turned > upright * 1.001;
    const most = this.#sheet.perPage === undefined ? Number.POSITIVE_INFINITY : 1;
    const scale = Math.min(isTurned ? turned : upright, most);
    // The percent are rounded down, because 89.6 % are below 90 %; a difference in the last digits is ignored.
    const percent = Math.floor(scale * 100 + 0.01);
    if (percent < LEAST_PERCENT) throw new Unreadable({ fault: 'paper-too-small', percent });
    const [across, upward] = isTurned ? [height, width] : [width, height];
    const [left, bottom] = [
      room.x + (room.width - across * scale) / 2,
      room.y + (room.height - upward * scale) / 2,
    ];
    return isTurned
      ? [0, scale, -scale, 0, left + across * scale, bottom]
      : [scale, 0, 0, scale, left, bottom];
  }
}

/** The part of a place that a label has above its stamp. */
const aboveStamp = (place: Box, isStamped: boolean): Box =>
  isStamped ? { ...place, y: place.y + STRIP, height: place.height - STRIP } : place;

interface StampLines {
  lines: readonly string[];
  size: number;
  isCut: boolean;
}

/** The lines of a stamp: one line in the largest letters that fit, else two lines in the smallest letters. */
function stampLines(font: Font, stamp: string, width: number): StampLines {
  const size = LETTERS.find(letters => font.widthOf(stamp, letters) <= width);
  if (size !== undefined) return { lines: [stamp], size, isCut: false };
  const [first = '', second = '', ...rest] = brokenAt(font, stamp, SMALLEST, width);
  const isCut = rest.length > 0;
  return { lines: [first, isCut ? `${second}…` : second], size: SMALLEST, isCut };
}

/** The operators that draw the lines of a stamp in the middle of the strip below a label. */
function stampOperators(font: Font, stamp: StampLines, box: Box): string {
  const { lines, size } = stamp;
  const { x, y, width } = box;
  const bottom = lines.length === 1 ? (STRIP - size) / 2 + 1 : 2;
  const drawn = lines.map((line, index) => {
    const left = x + (width - font.widthOf(line, size)) / 2;
    const up = y + bottom + (lines.length - 1 - index) * (size + 0.5);
    const at = [left, up].map(value => value.toFixed(3)).join(' ');
    return `BT /F ${size} Tf 0 g ${at} Td ${font.encoded(line)} Tj ET`;
  });
  return drawn.join('\n');
}

/** A page as large as a label and the strip below it. */
const pageOf = (size: PageSize, strip: number): { page: PageSize; places: Box[] } => {
  const page = { width: size.width, height: size.height + strip };
  return { page, places: [{ x: 0, y: 0, ...page }] };
};

/** The visible part of a page, as a picture to be drawn on another page. */
function pictureOf(context: PDFContext, page: PDFDict, content: Uint8Array, box: Box): PDFRef {
  const { x, y, width, height } = box;
  const resources = page.get(name('Resources'));
  const group = page.get(name('Group'));
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
