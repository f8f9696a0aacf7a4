// One PDF with many labels, and with pages that waybill draws.
import {
  decodePDFRawStream,
  PDFArray,
  type PDFCatalog,
  PDFContext,
  PDFDict,
  PDFName,
  PDFNumber,
  PDFObjectCopier,
  PDFPageLeaf,
  PDFPageTree,
  PDFParser,
  PDFRawStream,
  PDFRef,
  PDFString,
  PDFWriter,
} from '@cantoo/pdf-lib';
import { fileKindOf } from '../contract/content.ts';
import type { Crop, PageSize } from '../paper.ts';
import { cropPage } from './crop.ts';
import type { Font } from './font.ts';
import { imagePage } from './image.ts';
import type { Drawn, Page } from './page.ts';
import { flatten, type Layers, layersOf, seenAs } from './seen.ts';
import { type Sheet, SheetPages } from './sheet.ts';
import { Unreadable } from './whole.ts';

export type Pdf = ReturnType<typeof createPdf>;

/** A label that was added: the number of its first page, from 1, and the size of that page, if the page gives a size. */
export interface Added {
  page: number;
  size: PageSize | undefined;
  /** Was the label left uncropped, because nobody can tell what is drawn on it? */
  isUncropped: boolean;
  /** The letters of the stamp that cannot be printed. */
  lost: string;
  /** Is the end of the stamp left out, because there is no room for it? */
  isStampCut: boolean;
}

/**
 * Creates a PDF. `head`: the first bytes of the file. `sheet`: the paper that labels are put on; without it, a label keeps its own page
 * sizes. `crop`: the part of the labels' pages that is taken.
 */
export function createPdf(
  head: Uint8Array,
  title = 'Labels',
  layout: { sheet?: Sheet; crop?: Crop | undefined } = {},
) {
  const { sheet = {}, crop } = layout;
  const context = PDFContext.create();
  Object.assign(context.header, {
    sizeInBytes: () => head.length,
    copyBytesInto(file: Uint8Array, at: number) {
      file.set(head, at);
      return head.length;
    },
  });
  const tree = context.nextRef();
  const pages: PDFRef[] = [];
  const fontRef = context.nextRef();
  let font: Promise<Font> | undefined;
  const push = (page: PDFDict) => {
    page.set(PDFName.of('Parent'), tree);
    pages.push(context.register(page));
  };
  const layers: Layers = { all: [], off: [] };
  const load = () => {
    font ??= import('./font.ts').then(({ openFont }) => openFont());
    return font;
  };
  const sheets = new SheetPages(context, sheet, { ref: fontRef, load }, push);
  const isPlaced = sheet.paper !== undefined || sheet.perPage !== undefined;

  /** The pages of a label, none of them in the file yet. `ready`: the pages for their paper. Throws `Unreadable`, leaving nothing. */
  async function read(label: Uint8Array, isStamped: boolean) {
    const known = context.largestObjectNumber;
    const layersBefore = { all: layers.all.length, off: layers.off.length };
    try {
      const copies = await pagesOf(context, label, layers);
      const isUncropped = crop !== undefined && !copies.map(copy => cropPage(copy, crop)).every(Boolean);
      const ready = isPlaced || isStamped ? sheets.checked(copies, isStamped) : undefined;
      return { copies, isUncropped, ready };
    } catch (error) {
      // Objects of the label that were copied before the fault would stay in the file, where somebody may find them.
      for (const [ref] of context.enumerateIndirectObjects())
        if (ref.objectNumber > known) context.delete(ref);
      context.largestObjectNumber = known;
      layers.all.length = layersBefore.all;
      layers.off.length = layersBefore.off;
      throw error;
    }
  }

  return {
    /**
     * Adds the pages of a label, or for an image one page of its size. `stamp`: a line below each page. Throws `Unreadable` for a label
     * that cannot be added, and adds no page of it.
     */
    async add(label: Uint8Array, stamp?: string): Promise<Added> {
      const { copies, isUncropped, ready } = await read(label, stamp !== undefined);
      const first = copies[0] && seenAs(copies[0])?.size;
      const added: Added = {
        page: pages.length + 1,
        size: ready ? sheets.pageSize(first, stamp !== undefined) : first,
        isUncropped,
        lost: '',
        isStampCut: false,
      };
      if (ready === undefined) for (const copy of copies) push(copy);
      for (const [index, page] of (ready ?? []).entries()) {
        Object.assign(added, await sheets.add(page, stamp));
        // A label may begin on the same page as the label before it.
        if (index === 0) added.page = pages.length;
      }
      return added;
    },
    /** The next label begins on a new page. */
    endSheet(): void {
      sheets.end();
    },
    get pageCount(): number {
      return pages.length;
    },
    /** The font for drawn pages, the same for the whole file. It is loaded only when something is drawn with it. */
    font(): Promise<Font> {
      return load();
    },
    /** Adds pages that waybill has laid out with `font`. */
    async draw(laidOut: readonly Page[]): Promise<void> {
      const letters = await load();
      sheets.end();
      for (const { width, height, drawn: parts } of laidOut)
        push(
          context.obj({
            Type: 'Page',
            MediaBox: [0, 0, width, height],
            Resources: { Font: { F: fontRef } },
            Contents: context.register(
              context.flateStream(parts.map(part => operators(part, letters)).join('\n')),
            ),
          }),
        );
    },
    /** The bytes of the whole file. */
    async bytes(): Promise<Uint8Array> {
      sheets.end();
      await (await font)?.embed(context, fontRef);
      context.assign(tree, context.obj({ Type: 'Pages', Count: pages.length, Kids: pages }));
      const shown = { OCGs: layers.all, D: { OFF: layers.off, Order: [] } };
      const catalog = { Type: 'Catalog', Pages: tree, ...(layers.all.length > 0 && { OCProperties: shown }) };
      context.trailerInfo.Root = context.register(context.obj(catalog));
      const about = { Producer: PDFString.of('waybill'), Title: PDFString.of(title) };
      context.trailerInfo.Info = context.register(context.obj(about));
      return PDFWriter.forContext(context, Number.POSITIVE_INFINITY).serializeToBuffer();
    },
  };
}

/** How wide the outline is that makes letters bold: a second font would be as large as the first. */
const OUTLINE = 0.03;

function operators(part: Drawn, font: Font): string {
  const at = (...points: number[]) => points.map(point => point.toFixed(3)).join(' ');
  if (part.kind === 'rule') return `${at(part.x, part.y, part.width, part.thickness)} re f`;
  const { text, x, y, size, isBold } = part;
  const mode = isBold ? `2 Tr ${at(size * OUTLINE)} w` : '0 Tr';
  return `BT /F ${at(size)} Tf ${mode} ${at(x, y)} Td ${font.encoded(text)} Tj ET`;
}

/** The pages of a label as a viewer shows them. `layers`: the layers of the label are added to it. */
async function pagesOf(context: PDFContext, label: Uint8Array, layers: Layers): Promise<PDFDict[]> {
  const kind = fileKindOf(label);
  try {
    if (kind?.ending === 'png' || kind?.ending === 'jpg')
      return [await imagePage(context, label, kind.ending)];
    if (kind?.ending !== 'pdf') throw new Unreadable({ fault: 'no-page-kind', file: kind?.words });
    const { catalog, pages } = await readPages(label);
    const copier = PDFObjectCopier.for(catalog.context, context);
    const copies = pages.map(page => copier.copy(page));
    for (const copy of copies) refuseSize(copy);
    for (const copy of copies) flatten(copy);
    const { all, off } = layersOf(catalog);
    layers.all.push(...all.map(layer => copier.copy(layer)));
    layers.off.push(...off.map(layer => copier.copy(layer)));
    return copies;
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    if (kind === undefined || kind.ending === 'pdf') throw new Unreadable(DAMAGED);
    throw new Unreadable({ fault: 'image', file: kind.words, image: { fault: 'damaged' } });
  }
}

const DAMAGED = { fault: 'pdf-damaged' } as const;
/** The largest width or height of a page that PDF allows, in points: 200 inches. */
const LARGEST = 14_400;
const MOST_PAGES = 500;

function refuseSize(page: PDFDict): void {
  const size = seenAs(page)?.size;
  if (size === undefined) return;
  const isPossible = (points: number) => points > 0 && points <= LARGEST;
  if (!isPossible(size.width) || !isPossible(size.height))
    throw new Unreadable({ fault: 'page-size', ...size });
}

const ENCRYPTED = /\/Encrypt\s+\d+\s+\d+\s+R\b/;

/**
 * Reads each stream to the length that the file gives, also if the length is an object of its own: the library would end the stream at the
 * word `endstream`, which may stand in a text.
 */
class LabelParser extends PDFParser {
  readonly #lengths: ReadonlyMap<string, number>;

  constructor(label: Uint8Array, file: string) {
    super(label, Number.POSITIVE_INFINITY, true);
    const numbers = file.matchAll(/(?<!\d)(\d+)\s+(\d+)\s+obj\s+(\d+)\s+endobj/g);
    // If several objects have the same number, the last one counts.
    this.#lengths = new Map(
      [...numbers].map(([, number, generation, length]) => [`${number} ${generation} R`, Number(length)]),
    );
  }

  protected override parseDict(ref?: PDFRef): PDFDict {
    const dict = super.parseDict(ref);
    const length = dict.get(PDFName.of('Length'));
    const known = length instanceof PDFRef ? this.#lengths.get(length.tag) : undefined;
    if (known !== undefined) dict.set(PDFName.of('Length'), PDFNumber.of(known));
    return dict;
  }
}

/** The pages of a PDF. Throws if the PDF is damaged: a label without its barcode is worse than no label. */
async function readPages(label: Uint8Array): Promise<{ catalog: PDFCatalog; pages: PDFPageLeaf[] }> {
  const file = Buffer.from(label.buffer, label.byteOffset, label.length).toString('latin1');
  // An encrypted file is refused first: its parts may be readable only after decryption.
  if (ENCRYPTED.test(file)) throw new Unreadable({ fault: 'encrypted' });
  const source = await new LabelParser(label, file).parseDocument();
  const catalog = source.lookup(source.trailerInfo.Root, PDFDict) as PDFCatalog;
  const tree = catalog.Pages();
  const visited = new Set<PDFPageTree>();
  const pages: PDFPageLeaf[] = [];
  const walk = (node: unknown): void => {
    if (node instanceof PDFPageLeaf) pages.push(node);
    // A node that was met before may be a parent of itself: to walk on would never end.
    else if (node instanceof PDFPageTree && visited.size < visited.add(node).size)
      for (const kid of node.Kids().asArray()) walk(source.lookup(kid));
    else throw new Unreadable(DAMAGED);
    if (pages.length > MOST_PAGES) throw new Unreadable({ fault: 'too-many-pages', most: MOST_PAGES });
  };
  walk(tree);
  if (tree.Count().asNumber() !== pages.length) throw new Unreadable(DAMAGED);
  if (pages.length === 0) throw new Unreadable({ fault: 'no-page' });
  if (!pages.some(isDrawn))
    throw new Unreadable({ fault: 'image', file: 'a PDF', image: { fault: 'blank' } });
  return { catalog, pages };
}

/** Is something drawn on the page? A stream that cannot be unpacked here counts as drawn: another program may show it. */
function isDrawn(page: PDFPageLeaf): boolean {
  const notes = page.lookup(PDFName.of('Annots'));
  if (notes instanceof PDFArray && notes.size() > 0) return true;
  const contents = page.Contents();
  const streams =
    contents instanceof PDFArray ? contents.asArray().map(part => page.context.lookup(part)) : [contents];
  return streams.some(stream => stream instanceof PDFRawStream && hasText(stream));
}

const SPACE = 0x20;

function hasText(stream: PDFRawStream): boolean {
  try {
    const text = decodePDFRawStream(stream);
    for (let byte = text.getByte(); byte !== -1; byte = text.getByte()) if (byte > SPACE) return true;
    return false;
  } catch {
    return stream.getContentsSize() > 0;
  }
}
