// One PDF of many labels, and of pages that we draw.
import {
  decodePDFRawStream,
  JpegEmbedder,
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
  type PDFRef,
  PDFString,
  PDFWriter,
  PngEmbedder,
} from '@cantoo/pdf-lib';
import { fileKindOf } from '../contract/content.ts';
import type { Font } from './font.ts';
import type { Drawn, Page, PageSize } from './page.ts';
import { imageFault, Unreadable, withPixelsAlone } from './whole.ts';

/** The resolution of an image that does not say it: that of most label printers, in dots per inch. */
const USUAL_RESOLUTION = 203;
const POINTS_PER_INCH = 72;
const METRES_PER_INCH = 0.0254;

export type Pdf = ReturnType<typeof createPdf>;

/** `head`: how the file begins. */
export function createPdf(head: Uint8Array, title = 'Labels') {
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

  return {
    /**
     * Adds the pages of a label, or one page of the size of an image. Gives the size of the first, if it says one. Throws
     * `Unreadable` if it cannot; no page is added.
     */
    async add(label: Uint8Array): Promise<PageSize | undefined> {
      const added = await pagesOf(context, label);
      for (const page of added) push(page);
      return added[0] && sizeOf(added[0]);
    },
    get pageCount(): number {
      return pages.length;
    },
    /** The font of drawn pages: one for the whole file. Only what draws loads it. */
    font(): Promise<Font> {
      font ??= import('./font.ts').then(({ openFont }) => openFont());
      return font;
    },
    /** Adds pages whose text is measured with the font. */
    async draw(drawn: readonly Page[]): Promise<void> {
      const letters = await this.font();
      for (const { width, height, drawn: parts } of drawn)
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
    /** The whole file. */
    async bytes(): Promise<Uint8Array> {
      await (await font)?.embed(context, fontRef);
      context.assign(tree, context.obj({ Type: 'Pages', Count: pages.length, Kids: pages }));
      context.trailerInfo.Root = context.register(context.obj({ Type: 'Catalog', Pages: tree }));
      const about = { Producer: PDFString.of('waybill'), Title: PDFString.of(title) };
      context.trailerInfo.Info = context.register(context.obj(about));
      return PDFWriter.forContext(context, Number.POSITIVE_INFINITY).serializeToBuffer();
    },
  };
}

/** A bold letter is drawn with its outline: a second font would be as large as the first. */
const OUTLINE = 0.03;

function operators(part: Drawn, font: Font): string {
  const at = (...points: number[]) => points.map(point => point.toFixed(3)).join(' ');
  if (part.kind === 'rule') return `${at(part.x, part.y, part.width, part.thickness)} re f`;
  const { text, x, y, size, isBold } = part;
  const mode = isBold ? `2 Tr ${at(size * OUTLINE)} w` : '0 Tr';
  return `BT /F ${at(size)} Tf ${mode} ${at(x, y)} Td ${font.encoded(text)} Tj ET`;
}

/** As it is seen: a page may be turned. */
function sizeOf(page: PDFDict): PageSize | undefined {
  const box = page.lookup(PDFName.of('MediaBox'));
  if (!(box instanceof PDFArray)) return undefined;
  const rectangle = box.asRectangle();
  const [width, height] = [Math.abs(rectangle.width), Math.abs(rectangle.height)];
  const turned = page.lookup(PDFName.of('Rotate'));
  const isTurned = turned instanceof PDFNumber && turned.asNumber() % 180 !== 0;
  return isTurned ? { width: height, height: width } : { width, height };
}

async function pagesOf(context: PDFContext, label: Uint8Array): Promise<PDFDict[]> {
  const kind = fileKindOf(label);
  try {
    if (kind?.ending === 'png' || kind?.ending === 'jpg')
      return [await imagePage(context, label, kind.ending)];
    if (kind?.ending !== 'pdf') throw new Unreadable({ fault: 'no-page-kind', file: kind?.words });
    const { source, pages } = await readPages(label);
    const copier = PDFObjectCopier.for(source, context);
    const copies = pages.map(page => copier.copy(page));
    for (const copy of copies) refuseSize(copy);
    return copies;
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    if (kind === undefined || kind.ending === 'pdf') throw new Unreadable(DAMAGED);
    throw new Unreadable({ fault: 'image', file: kind.words, image: { fault: 'damaged' } });
  }
}

const DAMAGED = { fault: 'pdf-damaged' } as const;
/** The largest page that there is, in points: 200 inches. */
const LARGEST = 14_400;
const MOST_PAGES = 500;

function refuseSize(page: PDFDict): void {
  const size = sizeOf(page);
  if (size === undefined) return;
  const isPossible = (points: number) => points > 0 && points <= LARGEST;
  if (!isPossible(size.width) || !isPossible(size.height))
    throw new Unreadable({ fault: 'page-size', ...size });
}

/** The pages of a PDF. Throws if it is damaged: a label without its barcode is worse than none. */
async function readPages(label: Uint8Array): Promise<{ source: PDFContext; pages: PDFPageLeaf[] }> {
  const source = await PDFParser.forBytesWithOptions(label, Number.POSITIVE_INFINITY, true).parseDocument();
  const { Root, Encrypt } = source.trailerInfo;
  if (Encrypt) throw new Unreadable({ fault: 'encrypted' });
  const tree = (source.lookup(Root, PDFDict) as PDFCatalog).Pages();
  const seen = new Set<PDFPageTree>();
  const pages: PDFPageLeaf[] = [];
  const walk = (node: unknown): void => {
    if (node instanceof PDFPageLeaf) pages.push(node);
    // A node that was there before may be above itself, and the walk would not end.
    else if (node instanceof PDFPageTree && seen.size < seen.add(node).size)
      for (const kid of node.Kids().asArray()) walk(source.lookup(kid));
    else throw new Unreadable(DAMAGED);
    if (pages.length > MOST_PAGES) throw new Unreadable({ fault: 'too-many-pages', most: MOST_PAGES });
  };
  walk(tree);
  if (tree.Count().asNumber() !== pages.length) throw new Unreadable(DAMAGED);
  if (pages.length === 0) throw new Unreadable({ fault: 'no-page' });
  if (!pages.some(isDrawn))
    throw new Unreadable({ fault: 'image', file: 'a PDF', image: { fault: 'blank' } });
  return { source, pages };
}

/** Is anything on the page? What cannot be unpacked here counts: another program may show it. */
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

/** A page of the size of an image. */
async function imagePage(context: PDFContext, label: Uint8Array, ending: 'png' | 'jpg'): Promise<PDFDict> {
  const image = await imageFault(label, ending);
  if (image)
    throw new Unreadable({ fault: 'image', file: ending === 'png' ? 'a PNG image' : 'a JPEG image', image });
  const picture = await (ending === 'png'
    ? PngEmbedder.for(withPixelsAlone(label))
    : JpegEmbedder.for(label));
  const scale = POINTS_PER_INCH / (resolutionOf(label) ?? USUAL_RESOLUTION);
  const [width, height] = [picture.width * scale, picture.height * scale];
  const drawn = context.stream(`q ${width} 0 0 ${height} 0 0 cm /Label Do Q`);
  return context.obj({
    Type: 'Page',
    MediaBox: [0, 0, width, height],
    Resources: { XObject: { Label: await picture.embedIntoContext(context) } },
    Contents: context.register(drawn),
  });
}

/** Dots per inch, if a PNG says it. */
function resolutionOf(label: Uint8Array): number | undefined {
  const bytes = Buffer.from(label.buffer, label.byteOffset, label.length);
  const at = bytes.subarray(0, bytes.indexOf('IDAT')).indexOf('pHYs');
  const isInMetres = at > 0 && bytes[at + 12] === 1;
  const dots = isInMetres ? bytes.readUInt32BE(at + 4) : 0;
  return dots > 0 ? dots * METRES_PER_INCH : undefined;
}
