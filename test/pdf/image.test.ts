// A label that is an image has the size that it names, and is turned as it says; one whose pixels are damaged is no label.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { PDFDocument } from '@cantoo/pdf-lib';
import { afterAll, describe, expect, test } from 'vitest';
import { createPdf } from '../../src/pdf/pdf.ts';
import { notInstalled, titled } from '../rig/needs.ts';

const HEAD = Buffer.from('%PDF-1.7\n');
const folder = mkdtempSync(join(tmpdir(), 'waybill-image-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** 16 × 32 pixels at 72 dots per inch, white, with a black square of 8 × 8 in the upper left corner. */
const JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMCUoKSj/2wBDAQcHBwoIChMKChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCj/wAARCAAgABADASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAgJ/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/EABQBAQAAAAAAAAAAAAAAAAAAAAD/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCVGqgAAA//2Q==',
  'base64',
);

/** The image with a density of that unit (1: of an inch, 2: of a centimetre). */
function withDensity(unit: number, density: number): Buffer {
  const image = Buffer.from(JPEG);
  image[13] = unit;
  image.writeUInt16BE(density, 14);
  image.writeUInt16BE(density, 16);
  return image;
}

/** The image with an EXIF segment that says which side is up. */
function turnedBy(orientation: number, isLittle: boolean): Buffer {
  const tiff = Buffer.alloc(26);
  const short = (value: number, at: number) =>
    isLittle ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
  const long = (value: number, at: number) =>
    isLittle ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at);
  tiff.write(isLittle ? 'II' : 'MM', 0, 'latin1');
  short(42, 2);
  long(8, 4);
  short(1, 8);
  short(0x0112, 10);
  short(3, 12);
  long(1, 14);
  short(orientation, 18);
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length + 2);
  return Buffer.concat([JPEG.subarray(0, 20), Buffer.from([0xff, 0xe1]), length, body, JPEG.subarray(20)]);
}

async function merged(label: Buffer): Promise<Uint8Array> {
  const pdf = createPdf(HEAD);
  await pdf.add(label);
  return pdf.bytes();
}

async function sizeOf(label: Buffer): Promise<[number, number]> {
  const [page] = (await PDFDocument.load(await merged(label))).getPages();
  const { width = 0, height = 0 } = page?.getSize() ?? {};
  return [Math.round(width * 10) / 10, Math.round(height * 10) / 10];
}

test.each([
  ['dots of an inch', withDensity(1, 144), [8, 16]],
  ['dots of a centimetre', withDensity(2, 80), [5.7, 11.3]],
  ['an aspect ratio alone', withDensity(0, 1), [5.7, 11.3]],
  ['no density', withDensity(1, 0), [5.7, 11.3]],
])('A JPEG with %s is a page of that size', async (_, label, size) => {
  expect(await sizeOf(label)).toEqual(size);
});

const noViewer = notInstalled('pdftoppm');

/** The corner of the first page that is black. */
function blackCorner(pdf: Uint8Array): string {
  const path = join(folder, 'turned');
  writeFileSync(`${path}.pdf`, pdf);
  execFileSync('pdftoppm', ['-r', '72', '-gray', '-singlefile', `${path}.pdf`, path]);
  const picture = readFileSync(`${path}.pgm`);
  const [, columns = '', rows = ''] = /^P5\s(\d+)\s(\d+)\s255\s/.exec(picture.toString('latin1')) ?? [];
  const [width, height] = [Number(columns), Number(rows)];
  const pixels = picture.subarray(picture.length - width * height);
  const isBlack = (x: number, y: number) => (pixels[y * width + x] ?? 255) < 100;
  const corners = { 'upper left': [2, 2], 'upper right': [width - 3, 2], 'lower left': [2, height - 3] };
  const corner = Object.entries(corners).find(([, [x = 0, y = 0]]) => isBlack(x, y))?.[0];
  return `${width}x${height} ${corner ?? 'lower right'}`;
}

describe.skipIf(noViewer)(titled('A JPEG is turned as its EXIF says', noViewer), () => {
  test.each([
    [1, '16x32 upper left'],
    [2, '16x32 upper right'],
    [3, '16x32 lower right'],
    [4, '16x32 lower left'],
    [5, '32x16 upper left'],
    [6, '32x16 upper right'],
    [7, '32x16 lower right'],
    [8, '32x16 lower left'],
    // Anything else is no orientation.
    [9, '16x32 upper left'],
  ])('orientation %i', async (orientation, seen) => {
    for (const isLittle of [true, false])
      expect(blackCorner(await merged(turnedBy(orientation, isLittle)))).toBe(seen);
  });
});

/** A PNG of 4 × 4 pixels with these rows, of that colour type. */
function pngOf(rows: readonly number[][], colourType = 0, more: readonly [string, Buffer][] = []): Buffer {
  const chunk = ([type, data]: readonly [string, Buffer]) => {
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(Buffer.concat([Buffer.from(type), data])));
    return Buffer.concat([length, Buffer.from(type), data, sum]);
  };
  const head = Buffer.from([0, 0, 0, 4, 0, 0, 0, 4, 8, colourType, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...[['IHDR', head] as const, ...more, ['IDAT', deflateSync(Buffer.from(rows.flat()))] as const].map(
      chunk,
    ),
    chunk(['IEND', Buffer.alloc(0)]),
  ]);
}

const ROW = [0, 255, 0, 255, 0];

test('A PNG whose pixels are whole is a page', async () => {
  expect(await sizeOf(pngOf([ROW, ROW, ROW, ROW]))).toEqual([1.4, 1.4]);
});

test('A PNG with colours of a palette that it has not is damaged, and not a black page', async () => {
  await expect(merged(pngOf([ROW, ROW, ROW, ROW], 3))).rejects.toMatchObject({
    fault: { fault: 'image', image: { fault: 'damaged' } },
  });
});
