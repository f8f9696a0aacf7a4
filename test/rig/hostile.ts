// Files that claim to be labels: without pixels or content, damaged, or made to take all time and memory of who reads them.
import { crc32, deflateSync } from 'node:zlib';

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type), data]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(data.length);
  numbers.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([numbers.subarray(0, 4), named, numbers.subarray(4)]);
};

/** A PNG of 8 bits whose pixels are these packed bytes; none of them: without IDAT. */
export function pngOf(
  width: number,
  height: number,
  pixels: Buffer | undefined,
  colour = 0,
  more: Buffer[] = [],
) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, colour], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    ...more,
    ...(pixels ? [chunk('IDAT', pixels)] : []),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const rows = (bytes: number) => deflateSync(Buffer.alloc(bytes));

/** A text that unpacks to 300 MB. */
const textBomb = () => chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), rows(300_000_000)]));

const whole = pngOf(40, 60, rows(41 * 60));
const damaged = Buffer.from(whole);
damaged.writeUInt8(0xff, 45);

/** Shorter ones would be taken for links. */
const REMARK = [...Buffer.from('Not for shipping; a remark as long as that is no part of the picture')];

const jpeg = (width: number, height: number, ...scan: number[]) =>
  Buffer.from([
    ...[0xff, 0xd8, 0xff, 0xfe, 0, REMARK.length + 2, ...REMARK],
    ...[0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0],
    ...[0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, ...scan, 0xff, 0xd9],
  ]);

const gif = (width: number, height: number, ...blocks: number[]) =>
  Buffer.from([
    ...[...Buffer.from('GIF89a'), width & 255, width >> 8, height & 255, height >> 8, 0, 0, 0],
    ...[0x21, 0xfe, REMARK.length, ...REMARK, 0, ...blocks, 0x3b],
  ]);

/** A PDF of these objects, numbered from 1; the first is its catalogue. */
export const pdfOf = (...objects: (string | Buffer)[]): Buffer =>
  Buffer.concat([
    Buffer.from('%PDF-1.7\n'),
    ...objects.flatMap((object, at) => [
      Buffer.from(`${at + 1} 0 obj\n`),
      Buffer.from(object),
      Buffer.from('\nendobj\n'),
    ]),
    Buffer.from('trailer\n<< /Root 1 0 R >>\nstartxref\n9\n%%EOF\n'),
  ]);

const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';
const TREE = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';
const page = (more = '/Contents 4 0 R', box = '0 0 283 425') =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [${box}] ${more} >>`;
const stream = (bytes: Buffer | string, more = '') =>
  Buffer.concat([
    Buffer.from(`<< /Length ${bytes.length} ${more} >>\nstream\n`),
    Buffer.from(bytes),
    Buffer.from('\nendstream'),
  ]);
const SQUARE = stream('0 0 100 100 re f');
const packed = (bytes: Buffer, more: string) => stream(deflateSync(bytes), `/Filter /FlateDecode ${more}`);

/** 2 to the power of 40 pages, each node twice in the one above. */
const doubled = () =>
  pdfOf(
    CATALOG,
    ...Array.from(
      { length: 40 },
      (_, at) => `<< /Type /Pages /Kids [${at + 3} 0 R ${at + 3} 0 R] /Count 2 >>`,
    ),
    page('/Contents 43 0 R'),
    SQUARE,
  );

const deepTree = (depth: number) =>
  pdfOf(
    CATALOG,
    ...Array.from({ length: depth }, (_, at) => `<< /Type /Pages /Kids [${at + 3} 0 R] /Count 1 >>`),
    page(`/Contents ${depth + 3} 0 R`),
    SQUARE,
  );

/** What is no label at all: it is not kept, and asked for again. */
export const EMPTY: Readonly<Record<string, () => Buffer>> = {
  'a PNG of 60,000 × 60,000 pixels, which it has not': () =>
    pngOf(60_000, 60_000, deflateSync(Buffer.alloc(1))),
  'a PNG of 8,000 × 8,000 pixels, which it has': () => pngOf(8000, 8000, rows(8001 * 8000)),
  'a PNG without pixels': () => pngOf(40, 60, undefined),
  'a PNG whose pixels are empty': () => pngOf(40, 60, Buffer.alloc(0)),
  'a PNG of no width': () => pngOf(0, 60, rows(60)),
  'a PNG with half of its rows': () => pngOf(40, 60, rows(41 * 30)),
  'a PNG with far more rows than it says': () => pngOf(40, 60, rows(50_000_000)),
  'a PNG that is damaged': () => damaged,
  'a JPEG without pixels': () => jpeg(40, 60),
  'a JPEG of no height': () => jpeg(40, 0, 1, 2, 3),
  'a JPEG of 60,000 × 60,000 pixels': () => jpeg(60_000, 60_000, 1, 2, 3),
  'a JPEG without a size': () =>
    Buffer.from([
      0xff,
      0xd8,
      0xff,
      0xfe,
      0,
      REMARK.length + 2,
      ...REMARK,
      0xff,
      0xda,
      0,
      2,
      1,
      2,
      3,
      0xff,
      0xd9,
    ]),
  'a GIF without a picture': () => gif(40, 60, 0x21, 0xfe, 0),
  'a GIF whose picture is empty': () => gif(40, 60, 0x2c, 0, 0, 0, 0, 40, 0, 60, 0, 0, 2, 0),
  'a GIF of 60,000 × 60,000 pixels': () => gif(60_000, 60_000, 0x2c, 0, 0, 0, 0, 40, 0, 60, 0, 0, 2, 1, 4, 0),
  'a PDF whose page has no content': () => pdfOf(CATALOG, TREE, page('')),
  'a PDF whose content is empty': () => pdfOf(CATALOG, TREE, page(), stream('')),
  'a PDF whose content is blank': () => pdfOf(CATALOG, TREE, page('/Contents [4 0 R]'), stream(' \n')),
  'a PDF whose packed content is empty': () => pdfOf(CATALOG, TREE, page(), packed(Buffer.alloc(0), '')),
};

/** What is saved, but cannot be read in bounds: it is named, and the other labels are merged. */
export const HOSTILE: Readonly<Record<string, () => Buffer>> = {
  'an object stream that unpacks to 300 MB': () =>
    pdfOf(
      CATALOG,
      TREE,
      page(),
      SQUARE,
      packed(Buffer.alloc(300_000_000, ' '), '/Type /ObjStm /N 1 /First 4'),
    ),
  'a page tree that leads to itself': () =>
    pdfOf(CATALOG, '<< /Type /Pages /Kids [2 0 R] /Count 1 >>', page(), SQUARE),
  'a page tree that doubles at each level': doubled,
  'a page tree of 20,000 levels': () => deepTree(20_000),
  'an object of 200,000 levels': () =>
    pdfOf(CATALOG, TREE, page(`/Contents 4 0 R /X ${'['.repeat(200_000)}${']'.repeat(200_000)}`), SQUARE),
  'a chain of 50,000 objects': () =>
    pdfOf(
      CATALOG,
      TREE,
      page('/Contents 4 0 R /X 5 0 R'),
      SQUARE,
      ...Array.from({ length: 50_000 }, (_, at) => `<< /X ${at + 6} 0 R >>`),
    ),
  '10,000 pages': () =>
    pdfOf(CATALOG, `<< /Type /Pages /Kids [${'3 0 R '.repeat(10_000)}] /Count 10000 >>`, page(), SQUARE),
  'a page of a million points': () =>
    pdfOf(CATALOG, TREE, page('/Contents 4 0 R', '0 0 1000000 1000000'), SQUARE),
  'a page of no width': () => pdfOf(CATALOG, TREE, page('/Contents 4 0 R', '0 0 0 425'), SQUARE),
  'a note that only a viewer draws': () => pdfOf(CATALOG, TREE, page('/Annots [<< /Subtype /Stamp >>]')),
  'an array of 12 million numbers': () => {
    const numbers = Buffer.alloc(24_000_000, '0 ');
    const object = Buffer.concat([Buffer.from('5 0 ['), numbers, Buffer.from(']')]);
    return pdfOf(CATALOG, TREE, page(), SQUARE, packed(object, '/Type /ObjStm /N 1 /First 4'));
  },
};

/** What looks odd and is a label. */
export const WHOLE: Readonly<Record<string, () => Buffer>> = {
  'a PNG with a text that unpacks to 300 MB': () => pngOf(40, 60, rows(41 * 60), 0, [textBomb()]),
  'a PNG with alpha': () => pngOf(40, 60, rows(161 * 60), 6),
  'a PDF whose first page is blank': () =>
    pdfOf(CATALOG, '<< /Type /Pages /Kids [3 0 R 5 0 R] /Count 2 >>', page(''), SQUARE, page()),
  'a PDF with annotations alone': () =>
    pdfOf(
      CATALOG,
      TREE,
      page('/Annots [<< /Subtype /Stamp /Rect [0 0 100 100] /AP << /N 4 0 R >> >>]'),
      stream('0 0 100 100 re f', '/Type /XObject /Subtype /Form /BBox [0 0 100 100]'),
    ),
  'a PDF whose objects are packed': () => {
    const objects = [CATALOG, TREE, page('/Contents 9 0 R')];
    let at = 0;
    const places = objects.map((object, index) => {
      const place = `${index + 1} ${at}`;
      at += object.length + 1;
      return place;
    });
    const head = `${places.join(' ')} `;
    const body = Buffer.from(`${head}${objects.join(' ')}`);
    return Buffer.concat([
      Buffer.from('%PDF-1.7\n8 0 obj\n'),
      packed(body, `/Type /ObjStm /N 3 /First ${head.length}`),
      Buffer.from('\nendobj\n9 0 obj\n'),
      SQUARE,
      Buffer.from('\nendobj\ntrailer\n<< /Root 1 0 R >>\nstartxref\n9\n%%EOF\n'),
    ]);
  },
};
