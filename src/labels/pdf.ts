// One PDF of many labels. It is written label by label, so that memory holds one of them and the place of each object.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import {
  JpegEmbedder,
  type PDFCatalog,
  PDFContext,
  PDFDict,
  PDFName,
  type PDFObject,
  PDFObjectCopier,
  PDFPageLeaf,
  PDFParser,
  type PDFRef,
  PngEmbedder,
} from '@cantoo/pdf-lib';
import { fileKindOf } from '../contract/content.ts';

/** The resolution of an image that does not say it: that of most label printers, in dots per inch. */
const USUAL_RESOLUTION = 203;
const POINTS_PER_INCH = 72;
const METRES_PER_INCH = 0.0254;

/** Makes the file, which must not exist and begins with `head`. Throws the error of the file system. */
export function createPdf(path: string, head: Uint8Array) {
  const file = openSync(path, 'wx', 0o600);
  const context = PDFContext.create();
  /** Where each object begins, by its number. */
  const places: number[] = [];
  const pages: string[] = [];
  const tree = context.nextRef();
  const root = context.nextRef();
  const info = context.nextRef();
  let length = 0;

  const write = (bytes: Uint8Array) => {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    length += bytes.length;
  };
  const writeObject = ({ objectNumber }: PDFRef, content: Uint8Array) => {
    places[objectNumber] = length;
    write(Buffer.concat([Buffer.from(`${objectNumber} 0 obj\n`), content, Buffer.from('\nendobj\n')]));
  };
  const forget = () => {
    for (const [ref] of context.enumerateIndirectObjects()) context.delete(ref);
  };
  const pagesOf = async (label: Uint8Array): Promise<PDFDict[]> => {
    const kind = fileKindOf(label);
    if (kind?.ending === 'png' || kind?.ending === 'jpg')
      return [await imagePage(context, label, kind.ending)];
    if (kind?.ending !== 'pdf') throw new Error(`${kind?.words ?? 'it'} cannot be a page of a PDF`);
    const { source, pages: found } = await readPages(label);
    const copier = PDFObjectCopier.for(source, context);
    return found.map(page => copier.copy(page));
  };
  write(head);

  return {
    /** Adds the pages of a label, or one page of the size of an image. Throws the reason if it cannot; nothing is added. */
    async add(label: Uint8Array): Promise<void> {
      try {
        const added = (await pagesOf(label)).map(page => {
          page.set(PDFName.of('Parent'), tree);
          return context.register(page);
        });
        for (const [ref, object] of context.enumerateIndirectObjects()) writeObject(ref, bytesOf(object));
        pages.push(...added.map(String));
      } finally {
        forget();
      }
    },
    /** Writes the end, and syncs. */
    finish(): void {
      const text = (ref: PDFRef, content: string) => writeObject(ref, Buffer.from(content));
      text(tree, `<< /Type /Pages /Count ${pages.length} /Kids [${pages.join('\n')}] >>`);
      text(root, `<< /Type /Catalog /Pages ${tree} >>`);
      text(info, '<< /Producer (waybill) /Title (Labels) >>');
      const start = length;
      const count = context.largestObjectNumber + 1;
      const entries = Array.from({ length: count }, (_, number) => {
        const place = places[number];
        return place === undefined
          ? `0000000000 65535 f \n`
          : `${String(place).padStart(10, '0')} 00000 n \n`;
      });
      write(Buffer.from(`xref\n0 ${count}\n${entries.join('')}`));
      write(Buffer.from(`trailer\n<< /Size ${count} /Root ${root} /Info ${info} >>\n`));
      write(Buffer.from(`startxref\n${start}\n%%EOF\n`));
      fsyncSync(file);
    },
    close: () => closeSync(file),
  };
}

function bytesOf(object: PDFObject): Uint8Array {
  const bytes = new Uint8Array(object.sizeInBytes());
  object.copyBytesInto(bytes, 0);
  return bytes;
}

/** The pages of a PDF. Throws if it is damaged: a label without its barcode is worse than none. */
async function readPages(label: Uint8Array): Promise<{ source: PDFContext; pages: PDFPageLeaf[] }> {
  const pages: PDFPageLeaf[] = [];
  let source: PDFContext;
  try {
    source = await PDFParser.forBytesWithOptions(label, Number.POSITIVE_INFINITY, true).parseDocument();
    const { Root, Encrypt } = source.trailerInfo;
    if (!Encrypt)
      (source.lookup(Root, PDFDict) as PDFCatalog).Pages().traverse(node => {
        if (node instanceof PDFPageLeaf) pages.push(node);
      });
  } catch {
    throw new Error('its PDF is damaged');
  }
  if (source.trailerInfo.Encrypt) throw new Error('its PDF is encrypted');
  if (pages.length === 0) throw new Error('its PDF has no page');
  return { source, pages };
}

/** A page of the size of an image. */
async function imagePage(context: PDFContext, label: Uint8Array, ending: 'png' | 'jpg'): Promise<PDFDict> {
  const image = await (ending === 'png' ? PngEmbedder.for(label) : JpegEmbedder.for(label));
  const scale = POINTS_PER_INCH / (resolutionOf(label) ?? USUAL_RESOLUTION);
  const [width, height] = [image.width * scale, image.height * scale];
  const drawn = context.stream(`q ${width} 0 0 ${height} 0 0 cm /Label Do Q`);
  return context.obj({
    Type: 'Page',
    MediaBox: [0, 0, width, height],
    Resources: { XObject: { Label: await image.embedIntoContext(context) } },
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
