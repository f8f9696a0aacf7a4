// What is cropped has all that is drawn: no ink is lost, and what cannot be told is said. And no program prints more than the part.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { afterAll, describe, expect, test } from 'vitest';
import { CROP_RULE, type Crop, cropIn, POINTS_PER_MM } from '../../src/paper.ts';
import { createPdf } from '../../src/pdf/pdf.ts';
import { notInstalled, titled } from '../rig/needs.ts';
import { cornerOf, pdfWith } from '../rig/small-pdfs.ts';

const HEAD = Buffer.from('%PDF-1.7\n');
const noViewer = notInstalled('pdftoppm');
const folder = mkdtempSync(join(tmpdir(), 'waybill-cropped-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function cropped(label: Buffer, crop: Crop = 'auto') {
  const pdf = createPdf(HEAD, 'Labels', { crop });
  const { isUncropped } = await pdf.add(label);
  return { file: await pdf.bytes(), isUncropped };
}

/** The ink on the first page, as another program draws all of its `MediaBox`: the blackness of its pixels together. */
function inkOf(pdf: Uint8Array): number {
  const path = join(folder, 'drawn');
  writeFileSync(`${path}.pdf`, pdf);
  execFileSync('pdftoppm', ['-r', '72', '-gray', '-singlefile', `${path}.pdf`, path]);
  const picture = readFileSync(`${path}.pgm`);
  const pixels = picture.subarray(picture.indexOf('255\n') + 4);
  return pixels.reduce((ink, pixel) => ink + 255 - pixel, 0);
}

async function sizeOf(pdf: Uint8Array): Promise<[number, number]> {
  const [page] = (await PDFDocument.load(pdf)).getPages();
  const { width = 0, height = 0 } = page?.getMediaBox() ?? {};
  return [Math.round(width), Math.round(height)];
}

/** A grey text of the page's own colour, and a bar code in a space of which `colour` is black. */
const barsIn = (space: string, colour: string): Buffer =>
  cornerOf(
    `0.5 g 60 760 100 10 re f /K cs ${colour} 60 600 8 100 re 80 600 20 100 re 140 600 6 100 re f`,
    `/Resources << /ColorSpace << /K ${space} >> >>`,
  );

const TINT = '<< /FunctionType 2 /Domain [0 1] /C0 [0 0 0 0] /C1 [0 0 0 1] /N 1 >>';

/** A page on which a form is placed. */
const formOn = (content: string, form: string, resources = ''): Buffer =>
  pdfWith({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> ${resources} >> >>`,
    4: `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    5: `<< /Type /XObject /Subtype /Form /BBox [0 0 595 842] /Length ${form.length} >>\nstream\n${form}\nendstream`,
  });

const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
const FONT = `/Font << /F1 ${HELVETICA} >>`;

const INKED: Readonly<Record<string, Buffer>> = {
  'full ink of a separation': barsIn(`[/Separation /Black /DeviceCMYK ${TINT}]`, '1 scn'),
  'full ink of several inks': barsIn(
    '[/DeviceN [/Black] /DeviceCMYK << /FunctionType 2 /Domain [0 1] /C0 [0 0 0 0] /C1 [0 0 0 1] /N 1 >>]',
    '1 scn',
  ),
  'a colour of a palette': barsIn('[/Indexed /DeviceGray 1 <FF00>]', '1 sc'),
  'a separation that is kept by q and Q': barsIn(
    `[/Separation /Black /DeviceCMYK ${TINT}]`,
    'q 1 g 0 0 10 10 re f Q 1 sc',
  ),
  'strokes in full ink': cornerOf(
    '60 700 10 10 re f /K CS 1 SCN 4 w 60 500 m 200 500 l S',
    `/Resources << /ColorSpace << /K [/Separation /Black /DeviceCMYK ${TINT}] >> >>`,
  ),
  'white that a blend mode turns over': cornerOf(
    '60 700 10 10 re f /D gs 1 g 60 500 100 40 re f',
    '/Resources << /ExtGState << /D << /BM /Difference >> >> >>',
  ),
  'a line whose width is that of a dictionary': cornerOf(
    '/G gs 100 500 m 300 500 l S',
    '/Resources << /ExtGState << /G << /LW 80 >> >> >>',
  ),
  'a form with the line width of its page': formOn('40 w /X Do', '100 500 m 300 500 l S'),
  'a form with the font of its page': formOn('BT /F1 60 Tf ET /X Do', 'BT 60 500 Td (WIDE) Tj ET', FONT),
  'a form with the colour space of its page': formOn(
    '60 700 10 10 re f /K cs /X Do',
    '1 scn 60 500 100 40 re f',
    `/ColorSpace << /K [/Separation /Black /DeviceCMYK ${TINT}] >>`,
  ),
  'a font that a dictionary sets': pdfWith({
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << ${FONT} /ExtGState << /G << /Font [5 0 R 60] >> >> >> >>`,
    4: '<< /Length 72 >>\nstream\n'.concat(
      'BT /F1 12 Tf 60 500 Td (A) Tj /G gs (BIG) Tj ET'.padEnd(72),
      '\nendstream',
    ),
    5: HELVETICA,
  }),
  'text with the spaces between words of its operator': cornerOf(
    'BT /F1 14 Tf 60 760 Td 40 TL 90 20 (WIDE WORD SPACING) " ET',
    `/Resources << ${FONT} >>`,
  ),
};

describe.skipIf(noViewer)(titled('--crop auto keeps all ink of', noViewer), () => {
  test.each(Object.entries(INKED))('%s', async (_, label) => {
    const { file, isUncropped } = await cropped(label);
    expect(isUncropped).toBe(false);
    const [width, height] = await sizeOf(file);
    expect(width < 595 || height < 842).toBe(true);
    const [before, after] = [inkOf(label), inkOf(file)];
    expect(before).toBeGreaterThan(10_000);
    // The edges of what is drawn lie differently on the pixels.
    expect(Math.abs(after - before) / before).toBeLessThan(0.05);
  });
});

const BLACK = '100 700 100 50 re f';
/** That box, with 2 mm around it. */
const ITS_SIZE = [111, 61];

test.each([
  ['of the page', '1 g 0 0 595 842 re f 0 g', ''],
  ['of the space that the page begins with', '1 sc 0 0 595 842 re f 0 sc', ''],
  ['of four inks', '/DeviceCMYK cs 0 0 0 0 sc 0 0 595 842 re f 0 g', ''],
  ['of a calibrated space', '/C cs 1 1 1 sc 0 0 595 842 re f 0 g', '/C [/CalRGB << /WhitePoint [1 1 1] >>]'],
  ['of a device that has a name of the page', '/C cs 1 sc 0 0 595 842 re f 0 g', '/C /DeviceGray'],
  [
    'after a separation',
    '/S cs 1 scn 1 g 0 0 595 842 re f 0 g',
    `/S [/Separation /Black /DeviceCMYK ${TINT}]`,
  ],
])('White %s is not drawn', async (_, white, spaces) => {
  const label = cornerOf(`${white} ${BLACK}`, `/Resources << /ColorSpace << ${spaces} >> >>`);
  expect(await sizeOf((await cropped(label)).file)).toEqual(ITS_SIZE);
});

test.each([
  [
    'a font that a dictionary sets and that is not there',
    '/G gs BT (A) Tj ET',
    '/ExtGState << /G << /Font [9 0 R 6] >> >>',
  ],
  ['a number that nobody can read', '--5 700 10 10 re f', ''],
])('Of %s it cannot be told what is drawn', async (_, content, resources) => {
  const { file, isUncropped } = await cropped(
    cornerOf(`${BLACK} ${content}`, `/Resources << ${resources} >>`),
  );
  expect([isUncropped, await sizeOf(file)]).toEqual([true, [595, 842]]);
});

test('A part is all that there is of its page, also for a program that does not ask what is seen', async () => {
  const boxes = '/CropBox [0 0 595 842] /TrimBox [0 0 595 842] /BleedBox [0 0 595 842] /ArtBox [0 0 9 9]';
  const label = cornerOf(BLACK, boxes);
  for (const [crop, size] of [
    ['auto', ITS_SIZE],
    [{ x: 10, y: 10, width: 100, height: 50 }, [283, 142]],
  ] as const) {
    const [page] = (await PDFDocument.load((await cropped(label, crop)).file)).getPages();
    expect(
      [page?.getMediaBox(), page?.getCropBox()].map(box => [
        Math.round(box?.width ?? 0),
        Math.round(box?.height ?? 0),
      ]),
    ).toEqual([size, size]);
    for (const box of ['TrimBox', 'BleedBox', 'ArtBox']) expect(page?.node.has(PDFName.of(box))).toBe(false);
  }
});

test('A part beside the page is named in mm, with the size of the page', async () => {
  const label = cornerOf(BLACK);
  const part = { x: 900, y: 20, width: 100, height: 150 };
  const [width, height] = [595 / POINTS_PER_MM, 842 / POINTS_PER_MM];
  await expect(cropped(label, part)).rejects.toMatchObject({
    fault: { fault: 'crop-empty', part, page: { width, height } },
  });
});

test.each([
  ['0,0,0.01x0.01', undefined],
  // Inches.
  ['1,1,4x6', undefined],
  ['10,10,100x19.9', undefined],
  ['10,10,20x20', { x: 10, y: 10, width: 20, height: 20 }],
  ['auto', 'auto'],
])('--crop %s is %j', (text, part) => {
  expect(cropIn(text)).toEqual(part);
  expect(CROP_RULE).toContain('at least 20x20 mm');
});
