// Is a file a whole label, with all its pixels? Read from the numbers in the file itself, before a library decodes the file.
import type { LabelKind } from '../contract/content.ts';
import { type ImageFault, type PageFault, pageFaultWords } from '../say/labels.ts';

/** A label that cannot be a page. The fault is in words of waybill: those of the library tell a person nothing. */
export class Unreadable extends Error {
  readonly fault: PageFault;

  constructor(fault: PageFault) {
    super(pageFaultWords(fault));
    this.fault = fault;
  }
}

/** A stream with fewer bytes than this may unpack to nothing. */
const SHORT = 64;

/**
 * Does a PDF plainly have something on a page? Most do, because only their streams are packed. Where this is not plain, only a reader of
 * the whole file can tell.
 */
export function isPlainlyDrawn(pdf: Uint8Array): boolean {
  const file = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.length);
  const text = file.toString('latin1');
  return [...text.matchAll(/\/Contents\s*\[?\s*(\d+) (\d+) R/g)]
    .slice(0, 10)
    .some(([, number, generation]) => {
      const begin = new RegExp(`(?:^|[\\r\\n\\s])${number} ${generation} obj\\b`).exec(text);
      if (begin === null) return false;
      const [head = '', body = ''] = text.slice(begin.index, begin.index + 4096).split(/stream\r?\n/, 2);
      const isStream = !head.includes('endobj') && head.includes('/Length');
      return isStream && body.split('endstream', 1).join().trim().length > SHORT;
    });
}

/** The most pixels of a label: more than 100 × 150 mm have at 1,200 dots per inch. */
const MOST_PIXELS = 40_000_000;

const CUT_OFF = { fault: 'cut-off' } as const;
const DAMAGED = { fault: 'damaged' } as const;
const NO_PIXELS = { fault: 'no-pixels' } as const;

/** Why an image cannot be a label; `undefined` if it can, or if the file is no image. */
export async function imageFault(
  bytes: Uint8Array,
  ending: LabelKind['ending'],
): Promise<ImageFault | undefined> {
  const image = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    if (ending === 'png') return await pngFault(image);
    if (ending === 'jpg') return jpegFault(image);
    return ending === 'gif' ? gifFault(image) : undefined;
  } catch (error) {
    // The file refers to a place behind its last byte.
    if (error instanceof RangeError) return CUT_OFF;
    throw error;
  }
}

function sizeFault(width: number, height: number): ImageFault | undefined {
  if (width === 0 || height === 0) return NO_PIXELS;
  return width * height <= MOST_PIXELS ? undefined : { fault: 'too-large', width, height, most: MOST_PIXELS };
}

/** By the colour type of a PNG: how many channels a pixel has, and how many bits a channel may have. */
const PNG_TYPES: Readonly<Record<number, { channels: number; depths: readonly number[] }>> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
};

/** By pass of an interlaced PNG: the first pixel (x, y), and the steps to the next pixels (x, y). */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

interface PngChunk {
  type: string;
  /** The whole chunk, with its length, type and checksum. */
  whole: Buffer;
  data: Buffer;
}

/** The chunks of a PNG. Throws a RangeError if the file is cut off. */
function pngChunks(image: Buffer): PngChunk[] {
  const chunks: PngChunk[] = [];
  for (let at = 8, type = ''; type !== 'IEND'; ) {
    const end = at + image.readUInt32BE(at) + 12;
    image.readUInt8(end - 1);
    type = image.toString('latin1', at + 4, at + 8);
    chunks.push({ type, whole: image.subarray(at, end), data: image.subarray(at + 8, end - 4) });
    at = end;
  }
  return chunks;
}

/** A PNG with only those chunks that its pixels need: others, such as texts, may unpack to any size. */
export function withPixelsAlone(png: Uint8Array): Buffer {
  const image = Buffer.from(png.buffer, png.byteOffset, png.length);
  const chunks = pngChunks(image).filter(({ type }) => /^([A-Z]...|tRNS)$/.test(type));
  return Buffer.concat([image.subarray(0, 8), ...chunks.map(({ whole }) => whole)]);
}

async function pngFault(image: Buffer): Promise<ImageFault | undefined> {
  const { crc32 } = await import('node:zlib');
  const chunks = pngChunks(image);
  const isDamaged = (chunk: PngChunk) =>
    /^[A-Z]/.test(chunk.type) &&
    crc32(chunk.whole.subarray(4, -4)) !== chunk.whole.readUInt32BE(chunk.data.length + 8);
  const [head] = chunks;
  if (head?.type !== 'IHDR' || chunks.some(isDamaged)) return DAMAGED;
  const [width, height] = [head.data.readUInt32BE(0), head.data.readUInt32BE(4)];
  const fault = sizeFault(width, height);
  if (fault) return fault;
  const [depth = 0, colour = 0, , , interlace] = head.data.subarray(8, 13);
  const type = PNG_TYPES[colour];
  if (!type?.depths.includes(depth)) return DAMAGED;
  const packed = chunks.filter(chunk => chunk.type === 'IDAT').map(({ data }) => data);
  if (packed.every(({ length }) => length === 0)) return NO_PIXELS;
  const passes = interlace === 1 ? PASSES : ([[0, 0, 1, 1]] as const);
  const needed = passes.reduce((sum, [x, y, right, down]) => {
    const [columns, rows] = [Math.ceil((width - x) / right), Math.ceil((height - y) / down)];
    const bits = columns * depth * type.channels;
    return columns > 0 && rows > 0 ? sum + rows * (1 + Math.ceil(bits / 8)) : sum;
  }, 0);
  const size = await sizeUnpacked(packed, needed + SPARE);
  return size < needed ? CUT_OFF : size > needed + SPARE ? DAMAGED : undefined;
}

/** How many bytes an encoder may leave behind the last row. */
const SPARE = 65_536;

/** The number of bytes that the packed parts unpack to together. Counted only up to `most`, and up to the first damage. */
async function sizeUnpacked(packed: readonly Buffer[], most: number): Promise<number> {
  const [{ createInflate }, { Readable }] = await Promise.all([import('node:zlib'), import('node:stream')]);
  let size = 0;
  try {
    for await (const part of Readable.from(packed).pipe(createInflate()) as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > most) break;
    }
  } catch {
    // The bytes in front of the damage count.
  }
  return size;
}

const [START_OF_SCAN, END_OF_IMAGE, ESCAPE] = [0xda, 0xd9, 0xff];

/** Does a segment with this marker give the size of the image? DHT, JPG and DAC, which do not, have markers in between. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Has the marker no segment behind it? */
const isAlone = (marker: number): boolean => marker <= 1 || (marker >= 0xd0 && marker <= 0xd8);

function jpegFault(image: Buffer): ImageFault | undefined {
  let isSized = false;
  for (let at = 2; ; ) {
    const marker = image.readUInt8(at + 1);
    // Bytes between segments are skipped, as by all readers.
    if (image.readUInt8(at) !== ESCAPE || marker === ESCAPE) {
      at += 1;
      continue;
    }
    if (marker === END_OF_IMAGE) return NO_PIXELS;
    if (isFrame(marker)) {
      const fault = sizeFault(image.readUInt16BE(at + 7), image.readUInt16BE(at + 5));
      if (fault) return fault;
      isSized = true;
    }
    at += isAlone(marker) ? 2 : image.readUInt16BE(at + 2) + 2;
    if (marker !== START_OF_SCAN) continue;
    const hasPixels = image.readUInt8(at) !== ESCAPE || image.readUInt8(at + 1) !== END_OF_IMAGE;
    return isSized && hasPixels ? undefined : NO_PIXELS;
  }
}

const [EXTENSION, PICTURE] = [0x21, 0x2c];

function gifFault(image: Buffer): ImageFault | undefined {
  const screen = sizeFault(image.readUInt16LE(6), image.readUInt16LE(8));
  if (screen) return screen;
  const colours = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + colours(image.readUInt8(10));
  /** The number of bytes in the blocks that begin at `at`, which is then behind them. */
  const blocks = (): number => {
    let size = 0;
    for (;;) {
      const length = image.readUInt8(at);
      at += length + 1;
      if (length === 0) return size;
      size += length;
    }
  };
  let hasPixels = false;
  for (;;) {
    const kind = image.readUInt8(at);
    if (kind === EXTENSION) {
      at += 2;
      blocks();
    } else if (kind === PICTURE) {
      const fault = sizeFault(image.readUInt16LE(at + 5), image.readUInt16LE(at + 7));
      if (fault) return fault;
      at += 11 + colours(image.readUInt8(at + 9));
      hasPixels = blocks() > 0 || hasPixels;
    } else return hasPixels ? undefined : NO_PIXELS;
  }
}
