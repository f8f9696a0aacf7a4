// Labels on paper: a label is there with all of its pages or not at all, and the line below it is whole, or said to be cut.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFDocument, PDFRef } from '@cantoo/pdf-lib';
import { afterAll, describe, expect, test } from 'vitest';
import { createPdf } from '../../src/pdf/pdf.ts';
import type { Sheet } from '../../src/pdf/sheet.ts';
import { notInstalled, titled } from '../rig/needs.ts';
import { pdfWith } from '../rig/small-pdfs.ts';

const HEAD = Buffer.from('%PDF-1.7\n');
const folder = mkdtempSync(join(tmpdir(), 'waybill-sheet-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A label with pages of these sizes in points, each with a text of its own. */
function labelOf(text: string, ...sizes: readonly (readonly [number, number])[]): Buffer {
  const numbers = sizes.map((_, index) => 10 + 2 * index);
  const pages = sizes.map(([width, height], index) => {
    const content = `BT /F1 20 Tf 20 ${height - 40} Td (${text} ${index + 1}) Tj ET 10 10 80 80 re f`;
    const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${11 + 2 * index} 0 R /Resources << /Font << /F1 5 0 R >> >> >>`;
    return [
      [10 + 2 * index, page],
      [11 + 2 * index, `<< /Length ${content.length} >>\nstream\n${content}\nendstream`],
    ] as const;
  });
  return pdfWith({
    1: '<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >> >>',
    2: `<< /Type /Pages /Kids [${numbers.map(number => `${number} 0 R`).join(' ')}] /Count ${sizes.length} >>`,
    5: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    6: `<< /Type /OCG /Name (layer of ${text}) >>`,
    ...Object.fromEntries(pages.flat()),
  });
}

const [SMALL, LARGE] = [
  [283, 425],
  [595, 842],
] as const;
const A6 = { width: 283, height: 425 };

async function written(
  sheet: Sheet,
  labels: readonly (readonly [Buffer, (string | undefined)?])[],
): Promise<Uint8Array> {
  const pdf = createPdf(HEAD, 'Labels', { sheet });
  for (const [label, stamp] of labels) await pdf.add(label, stamp).catch(() => {});
  return pdf.bytes();
}

test.each([
  ['on a paper', { paper: A6 }],
  ['several on a page', { perPage: 4 }],
] as const)('Nothing of a label is in the file if its second page is too small, %s', async (_, sheet) => {
  const pdf = createPdf(HEAD, 'Labels', { sheet });
  await pdf.add(labelOf('FIRST', SMALL));
  await expect(pdf.add(labelOf('REFUSED', SMALL, LARGE), 'K-2')).rejects.toMatchObject({
    fault: { fault: 'paper-too-small' },
  });
  const next = await pdf.add(labelOf('NEXT', SMALL));
  expect(next.page).toBe(pdf.pageCount);
  const file = await pdf.bytes();
  const without = [[labelOf('FIRST', SMALL)], [labelOf('NEXT', SMALL)]] as const;
  expect(Buffer.from(file).equals(Buffer.from(await written(sheet, without)))).toBe(true);
});

test('What is below 90 % is never called that, and is rounded down', async () => {
  const refusal = async (part: number) => {
    const pdf = createPdf(HEAD, 'Labels', { sheet: { paper: A6 } });
    return pdf.add(labelOf('A', [A6.width / part, A6.height / part])).then(
      () => undefined,
      error => error.fault,
    );
  };
  expect(await refusal(0.896)).toEqual({ fault: 'paper-too-small', percent: 89 });
  expect(await refusal(0.8)).toEqual({ fault: 'paper-too-small', percent: 80 });
  expect(await refusal(0.9)).toBeUndefined();
});

/** References of a file to what is not in it. */
async function unresolved(file: Uint8Array): Promise<string[]> {
  const { context } = await PDFDocument.load(file);
  const text = context.enumerateIndirectObjects().map(([, object]) => object.toString().split('stream')[0]);
  return [...text.join('\n').matchAll(/(\d+) (\d+) R\b/g)]
    .filter(([, number, generation]) => !context.lookup(PDFRef.of(Number(number), Number(generation))))
    .map(([reference]) => reference);
}

const noViewer = notInstalled('pdftoppm', 'pdftotext');

describe.skipIf(noViewer)(titled('No program finds a defect in a file', noViewer), () => {
  test.each<[string, Sheet, (string | undefined)[]]>([
    ['without a stamp', { paper: A6 }, [undefined]],
    ['without a stamp, several on a page', { perPage: 4 }, [undefined, undefined]],
    ['with stamps', { perPage: 2 }, ['K-1', undefined, 'K-3']],
    ['with a stamp of no letters', { paper: { width: 283, height: 450 } }, ['']],
    ['with a stamp and no paper', {}, ['K-1', undefined]],
    ['of labels alone', {}, [undefined]],
  ])('%s', async (_, sheet, stamps) => {
    const file = await written(
      sheet,
      stamps.map(stamp => [labelOf('A', SMALL), stamp]),
    );
    expect(await unresolved(file)).toEqual([]);
    const path = join(folder, 'file.pdf');
    writeFileSync(path, file);
    const { stderr, status } = spawnSync('pdftoppm', ['-r', '20', path, path], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  const RECEIVER = 'Anna-Katharina von Beispiel-Musterfrau';
  test.each([
    [`${RECEIVER} K-1003`, 8, false],
    [`${RECEIVER} of a street with a long name, ORDER-1003-77`, 7, false],
    [`${RECEIVER} of a street with a long name, floor 2 ORDER-1003-77`, 6, false],
    [`${RECEIVER}, ${RECEIVER}, ${RECEIVER}, ${RECEIVER} ORDER-1003-77`, 6, false],
    [`${`${RECEIVER}, `.repeat(9)} ORDER-1003-77`, 6, true],
  ])('and a stamp is whole, or said to be cut: %s', async (stamp, size, isCut) => {
    const pdf = createPdf(HEAD, 'Labels', { sheet: { perPage: 4 } });
    const { isStampCut } = await pdf.add(labelOf('A', [250, 380]), stamp);
    const path = join(folder, 'stamped.pdf');
    writeFileSync(path, await pdf.bytes());
    const shown = execFileSync('pdftotext', ['-layout', path, '-'], { encoding: 'utf8' });
    expect([isStampCut, shown.includes(stamp.split(' ').at(-1) ?? '')]).toEqual([isCut, !isCut]);
    const boxes = execFileSync('pdftotext', ['-bbox', path, '-'], { encoding: 'utf8' });
    const words = [...boxes.matchAll(/yMin="([\d.]+)"[^>]* yMax="([\d.]+)">([^<]*)</g)].slice(2);
    expect(words.length).toBeGreaterThan(1);
    for (const [, top, bottom] of words) {
      // All of it stands in the strip of its place, which ends in the middle of the page.
      expect(Number(top)).toBeGreaterThan(421 - 16);
      expect(Number(bottom)).toBeLessThan(424);
      expect(Math.round((Number(bottom) - Number(top)) / 1.362)).toBe(size);
    }
  });
});
