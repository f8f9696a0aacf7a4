// A page for an image: as large as the resolution of the image says, and turned as its EXIF data say.
import { JpegEmbedder, type PDFContext, type PDFDict, PngEmbedder } from '@cantoo/pdf-lib';
import { type Matrix, matrixOperands } from './seen.ts';
import { imageFault, Unreadable, withPixelsAlone } from './whole.ts';

/** The resolution of an image that does not give its own, in dots per inch: that of most label printers. */
const USUAL_RESOLUTION = 203;
const POINTS_PER_INCH = 72;
const METRES_PER_INCH = 0.0254;
const CENTIMETRES_PER_INCH = 2.54;

/** A page with an image on it. Throws `Unreadable`. */
export async function imagePage(
  context: PDFContext,
  label: Uint8Array,
  ending: 'png' | 'jpg',
): Promise<PDFDict> {
  const image = await imageFault(label, ending);
  if (image)
    throw new Unreadable({ fault: 'image', file: ending === 'png' ? 'a PNG image' : 'a JPEG image', image });
  const bytes = Buffer.from(label.buffer, label.byteOffset, label.length);
  const picture = await (ending === 'png'
    ? PngEmbedder.for(withPixelsAlone(label))
    : JpegEmbedder.for(label));
  const facts = ending === 'png' ? { dots: dotsOfPng(bytes), turn: 1 } : toldByJpeg(bytes);
  const scale = POINTS_PER_INCH / (facts.dots ?? USUAL_RESOLUTION);
  const [width, height] = [picture.width * scale, picture.height * scale];
  const isLying = facts.turn >= 5;
  const page = isLying ? { width: height, height: width } : { width, height };
  const drawn = context.stream(
    `q ${matrixOperands(turned(facts.turn, page.width, page.height))} cm /Label Do Q`,
  );
  return context.obj({
    Type: 'Page',
    MediaBox: [0, 0, page.width, page.height],
    Resources: { XObject: { Label: await picture.embedIntoContext(context) } },
    Contents: context.register(drawn),
  });
}

/** The matrix that draws an image as its EXIF orientation (1 to 8) says, on a page of that size. */
function turned(turn: number, width: number, height: number): Matrix {
  switch (turn) {
    case 2:
      return [-width, 0, 0, height, width, 0];
    case 3:
      return [-width, 0, 0, -height, width, height];
    case 4:
      return [width, 0, 0, -height, 0, height];
    case 5:
      return [0, -height, -width, 0, width, height];
    case 6:
      return [0, -height, width, 0, 0, height];
    case 7:
      return [0, height, width, 0, 0, 0];
    case 8:
      return [0, height, -width, 0, width, 0];
    default:
      return [width, 0, 0, height, 0, 0];
  }
}

/** The resolution of a PNG in dots per inch; `undefined` if the file does not give it. */
function dotsOfPng(bytes: Buffer): number | undefined {
  const at = bytes.subarray(0, bytes.indexOf('IDAT')).indexOf('pHYs');
  const isInMetres = at > 0 && bytes[at + 12] === 1;
  const dots = isInMetres ? bytes.readUInt32BE(at + 4) : 0;
  return dots > 0 ? dots * METRES_PER_INCH : undefined;
}

const [APP0, APP1, START_OF_SCAN] = [0xe0, 0xe1, 0xda];

/** The resolution and the orientation, from the segments in front of the pixels of a JPEG. */
function toldByJpeg(bytes: Buffer): { dots: number | undefined; turn: number } {
  let dots: number | undefined;
  let turn = 1;
  for (let at = 2; at + 4 < bytes.length && bytes[at] === 0xff && bytes[at + 1] !== START_OF_SCAN; ) {
    const segment = bytes.subarray(at + 4, at + 2 + bytes.readUInt16BE(at + 2));
    if (bytes[at + 1] === APP0 && segment.toString('latin1', 0, 4) === 'JFIF') dots = dotsOfJfif(segment);
    if (bytes[at + 1] === APP1 && segment.toString('latin1', 0, 4) === 'Exif') turn = turnOfExif(segment);
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return { dots, turn };
}

function dotsOfJfif(segment: Buffer): number | undefined {
  const density = segment.length >= 12 ? segment.readUInt16BE(8) : 0;
  if (density === 0) return undefined;
  if (segment[7] === 1) return density;
  return segment[7] === 2 ? density * CENTIMETRES_PER_INCH : undefined;
}

const ORIENTATION = 0x0112;

/** The EXIF orientation, 1 to 8; 1 if it cannot be read. */
function turnOfExif(segment: Buffer): number {
  const tiff = segment.subarray(6);
  try {
    const isLittle = tiff.toString('latin1', 0, 2) === 'II';
    const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
    const first = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
    for (let entry = 0; entry < short(first); entry += 1) {
      const at = first + 2 + 12 * entry;
      if (short(at) === ORIENTATION) return short(at + 8) >= 1 && short(at + 8) <= 8 ? short(at + 8) : 1;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return 1;
}
