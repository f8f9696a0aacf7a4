// Labels on the paper of a desk: reduced, turned, several on a page, a part of the page, a line below. A scanner reads each of them.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PDFDocument } from '@cantoo/pdf-lib';
import { describe, expect, test } from 'vitest';
import { labelPdf } from '../../src/emulator/label.ts';
import { createRig } from '../rig/command.ts';
import { labelledBy, png, sizesIn } from '../rig/labels.ts';
import { notInstalled, titled } from '../rig/needs.ts';
import { pageTexts } from '../rig/pdf.ts';
import { shopRig } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';
import { cornerOf } from '../rig/small-pdfs.ts';

const numberOf = (index: number): string => `EXP000000000${index}`;

/** A label of 100 × 150 mm with a bar code of its own. */
const labelOf = async (index: number): Promise<Buffer> =>
  Buffer.from(
    await labelPdf({
      ...{ carrier: 'EXP', service: 'express', trackingNumber: numberOf(index), reference: `R-${index}` },
      ...{ from: ['Ada'], to: ['Jonas'], pieces: [1] },
    }),
  );

const LABELS = { 'S-1': await labelOf(1), 'S-2': await labelOf(2), 'S-3': await labelOf(3) };

const noScanner = notInstalled('pdftoppm', 'zbarimg', 'qpdf');

/** The bar codes on the pages of a file. */
function scanned(file: string): string[] {
  execFileSync('pdftoppm', ['-r', '150', '-png', '-cropbox', file, file]);
  const [folder, name] = [join(file, '..'), file.split('/').at(-1) ?? ''];
  return readdirSync(folder)
    .filter(picture => picture.startsWith(`${name}-`) && picture.endsWith('.png'))
    .sort()
    .flatMap(picture =>
      spawnSync('zbarimg', ['--quiet', '--raw', join(folder, picture)], { encoding: 'utf8' })
        .stdout.split('\n')
        .filter(Boolean),
    )
    .sort();
}

describe.skipIf(noScanner)(titled('Each label that is merged with', noScanner), () => {
  test.each([
    ['--fit a6', [298, 420], 3],
    // It lies, and so does the label.
    ['--fit 200x120mm', [567, 340], 3],
    ['--per-page 2', [595, 842], 2],
    ['--per-page 4 --stamp {key} --crop auto', [595, 842], 1],
    ['--crop auto --fit 90x135mm', [255, 383], 3],
    ['--stamp {key}', [283, 439], 3],
  ])('%s is read by a scanner', async (options, size, pages) => {
    const { rig } = await labelledBy(LABELS);
    const ran = await rig.run(`label K1 K2 K3 --merge day.pdf ${options}`);
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringContaining('(3 labels)')]);
    const file = join(rig.folder, 'day.pdf');
    expect(await sizesIn(file)).toEqual(Array.from({ length: pages }, () => size));
    expect(scanned(file)).toEqual([numberOf(1), numberOf(2), numberOf(3)]);
    if (options.includes('--stamp'))
      for (const key of ['K1', 'K2', 'K3']) expect(pageTexts(file).join('\n')).toContain(key);
  });

  test('--crop auto is only the label on its page, and --crop the part that is named', async () => {
    const black = 'q 40 0 0 40 72 700 cm 0 0 1 1 re f Q BT /F 10 Tf ET';
    const { rig } = await labelledBy({ 'S-1': cornerOf(`1 g 0 0 595 842 re f 0 g ${black}`) });
    const file = join(rig.folder, 'day.pdf');
    await rig.run('label K1 --merge day.pdf --crop auto');
    // 40 points, and 2 mm around them.
    expect(await sizesOfCrop(file)).toEqual([51, 51]);
    await rig.run('label K1 --merge day.pdf --crop 10,20,100x150');
    expect(await sizesOfCrop(file)).toEqual([283, 425]);
    for (const part of ['900,20,100x150', '200,20,100x150']) {
      const beside = await rig.run(`label K1 --merge day.pdf --crop ${part}`);
      expect([beside.exitCode, beside.stderr]).toEqual([
        9,
        expect.stringContaining(`part that is to be taken: ${part} of a page of 210 × 297 mm`),
      ]);
    }
  });
});

/** The size of the first page as it is seen. */
async function sizesOfCrop(file: string): Promise<number[]> {
  const [page] = (await PDFDocument.load(readFileSync(file))).getPages();
  const { width = 0, height = 0 } = page?.getCropBox() ?? {};
  return [Math.round(width), Math.round(height)];
}

test('Where it cannot be told what is drawn, the whole page is taken, with a warning', async () => {
  const shaded = cornerOf('/Sh sh', '/Resources << /Shading << /Sh 10 0 R >> >>');
  const { rig } = await labelledBy({ 'S-1': shaded });
  const ran = await rig.run('label K1 --merge day.pdf --crop auto');
  expect([ran.exitCode, ran.stderr]).toEqual([
    0,
    expect.stringContaining('what is drawn on the label of K1 cannot be told'),
  ]);
  expect(await sizesIn(join(rig.folder, 'day.pdf'))).toEqual([[595, 842]]);
});

test('A label that would have less than 90 % of its size is exit 2, names --crop, and is not printed', async () => {
  const { rig } = await labelledBy(LABELS);
  await rig.run('label K1 --download out');
  for (const how of ['--merge day.pdf', '--print']) {
    const ran = await rig.run(`label K1 ${how} --fit 80x120mm`);
    expect([ran.exitCode, ran.stderr]).toEqual([
      2,
      expect.stringMatching(/K1 \(80 % of its size\).*--crop auto/s),
    ]);
  }
  const cropped = await rig.run('label K1 --print --fit 80x120mm --crop auto');
  expect([cropped.exitCode, cropped.stderr]).toEqual([
    2,
    expect.stringContaining('name a smaller part with --crop X,Y,WxH'),
  ]);
  expect((await rig.json('label --unprinted')).map(({ key }: { key: string }) => key)).toEqual(['K1']);
  expect(readdirSync(rig.folder)).not.toContain('day.pdf');
});

test('A label that is made now and does not fit is made all the same: exit 9, and the file of the carrier is there', async () => {
  const { rig } = await labelledBy(LABELS);
  const ran = await rig.run('label K1 --merge day.pdf --download out --fit 80x120mm');
  expect([ran.exitCode, ran.stderr]).toEqual([
    9,
    expect.stringContaining('day.pdf lacks a label: K1 (on this paper'),
  ]);
  expect(readFileSync(join(rig.folder, 'out/K1.pdf')).equals(LABELS['S-1'])).toBe(true);
});

test('What the carrier made is saved, and what is printed is on the paper of the profile, with its line', async () => {
  const rig = await shopRig({ labelPaper: 'a6', labelStamp: '{key} for {receiver}' });
  await rig.run('ship -f - --key K1', { stdin: JSON.stringify(SHIPMENT) });
  const made = await rig.run('label K1 --download out');
  expect(made.exitCode).toBe(0);
  const saved = join(rig.folder, 'out/K1.pdf');
  expect((await sizesIn(saved))[0]).toEqual([283, 425]);
  for (const how of ['--print', '--print --reprint']) {
    const { exitCode, programs } = await rig.run(`label K1 --download out ${how}`);
    const [printed = ''] = programs.map(([, path]) => path);
    expect([exitCode, programs]).toEqual([0, [['lp', join(rig.folder, 'state/labels/K1.print.pdf')]]]);
    expect((await sizesIn(printed))[0]).toEqual([298, 420]);
    expect(pageTexts(printed)[0]).toContain('K1 for Anna Beispiel');
  }
  // The carrier's file is what it was, and what was printed is not printed again.
  expect((await sizesIn(saved))[0]).toEqual([283, 425]);
  expect((await rig.run('label K1 --print')).programs).toEqual([]);
});

test('Labels that count as printed begin a page of their own, so that the pages to print are neighbours', async () => {
  const { rig } = await labelledBy(LABELS);
  await rig.run('label K1 --merge old.pdf');
  const ran = await rig.run('label K1 K2 K3 --merge day.pdf --per-page 4 --stamp {key}');
  expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringContaining('Print page 1;')]);
  const [fresh = '', old = ''] = pageTexts(join(rig.folder, 'day.pdf'));
  expect(['K1', 'K2', 'K3'].map(key => [fresh.includes(key), old.includes(key)])).toEqual([
    [false, true],
    [true, false],
    [true, false],
  ]);
});

test('A page of several labels is printed whole, and has none that was printed before', async () => {
  const { rig } = await labelledBy(LABELS);
  await rig.run('label K1 --print');
  const ran = await rig.run('label K1 K2 K3 --merge day.pdf --per-page 4 --stamp {key} --print');
  const file = join(rig.folder, 'day.pdf');
  expect([ran.exitCode, ran.programs]).toEqual([0, [['lp', file]]]);
  const texts = pageTexts(file).join('\n');
  expect(['K1', 'K2', 'K3'].map(key => texts.includes(key))).toEqual([false, true, true]);
  expect(ran.stderr).toContain('label --print --reprint K1');
});

describe('A label that is too large for the paper', () => {
  const A4_AND_LABEL = { 'S-1': cornerOf('0 0 595 842 re f'), 'S-2': LABELS['S-2'] };

  test('keeps no other from the printer', async () => {
    const { rig } = await labelledBy(A4_AND_LABEL);
    await rig.run('label K1 K2 --download out');
    const jobs = [['lp', join(rig.folder, 'state/labels/K2.print.pdf')]];
    for (const programs of [jobs, []]) {
      const ran = await rig.run('label --unprinted --print --fit 100x150mm');
      expect([ran.exitCode, ran.programs]).toEqual([9, programs]);
    }
    const merged = await rig.run('label K1 K2 --print --reprint --fit 100x150mm --download out');
    expect([merged.exitCode, merged.programs]).toEqual([9, jobs]);
  });

  test('stays a booking in the results of a batch', async () => {
    const { rig } = await labelledBy(A4_AND_LABEL);
    await rig.run('label K1 K2 --download out');
    rig.file('keys.csv', 'key\nK1\nK2\n');
    const ran = await rig.run('batch label keys.csv --print --fit 100x150mm');
    const lines = readFileSync(join(rig.folder, 'keys.label.jsonl'), 'utf8').trim().split('\n');
    // In the order in which they ended.
    const states = new Map(lines.map(line => JSON.parse(line)).map(({ key, state }) => [key, state]));
    expect([ran.exitCode, states.get('K1'), states.get('K2')]).toEqual([9, 'partial', 'created']);
  });
});

test('The command that prints a label later has its paper and its line', async () => {
  const { rig } = await labelledBy(LABELS);
  const ran = await rig.run("label K1 --print --fit a6 --crop auto --stamp 'No {key}'", { programCode: 1 });
  expect([ran.exitCode, ran.stderr.replace(/\s+/g, ' ')]).toEqual([
    9,
    expect.stringContaining("`waybill label --print --fit a6 --crop auto --stamp 'No {key}' K1`"),
  ]);
});

test('Papers are of the size of the paper that their label is on, and none lies between labels on one page', async () => {
  const { rig } = await labelledBy(LABELS);
  const ran = await rig.run('label K1 --download out --print --fit a6 --papers slip');
  const sizes = await Promise.all(ran.programs.map(async ([, path = '']) => (await sizesIn(path))[0]));
  expect([ran.exitCode, sizes]).toEqual([
    0,
    [
      [298, 420],
      [298, 420],
    ],
  ]);
  const refused = await rig.run('label K1 --merge day.pdf --per-page 4 --papers slip');
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining('waybill papers REF --print'),
  ]);
});

test('A label in the language of a printer is printed as it is, with a warning; none is a paper, too', async () => {
  const zpl = Buffer.from('^XA^FDone^FS^XZ\n'.repeat(50));
  const { rig } = await labelledBy({ 'S-1': zpl, 'S-2': LABELS['S-2'] });
  const ran = await rig.run('label K1 --print --fit a6 --download out');
  expect([ran.exitCode, ran.programs]).toEqual([0, [['lp', join(rig.folder, 'out/K1.zpl')]]]);
  expect(ran.stderr).toContain('printed as the carrier made it');
  const own = await rig.run('label K2 --print --fit none --stamp none --download out');
  expect([own.exitCode, own.programs]).toEqual([0, [['lp', join(rig.folder, 'out/K2.pdf')]]]);
});

test('A line that has no room below its label is cut, with a warning', async () => {
  const { rig } = await labelledBy(LABELS);
  const stamp = `${'to be handled with care, '.repeat(20)}{key}`;
  for (const how of [
    ['--merge', 'day.pdf'],
    ['--print', '--reprint'],
  ]) {
    const ran = await rig.run(['label', 'K1', ...how, '--stamp', stamp]);
    expect([ran.exitCode, ran.stderr]).toEqual([
      0,
      expect.stringContaining('the line below the label of K1 is longer than two lines'),
    ]);
  }
});

test.each([
  ['labelPaper', 'tiny', 'a size of 20 to 1000 mm'],
  ['labelStamp', '{name}', 'in which {key} and {receiver} stand'],
])(
  'A %s of the profile that was edited to %j is refused before a label is made',
  async (name, text, rule) => {
    const rig = await shopRig({ [name]: text });
    const ran = await rig.run('ship -f - --key K1 --label --print', { stdin: JSON.stringify(SHIPMENT) });
    expect([ran.exitCode, ran.requests, ran.stderr]).toEqual([2, [], expect.stringContaining(rule)]);
    expect(ran.stderr).toContain(`${name} of the profile`);
  },
);

test('A batch prints and merges on the paper that is wanted, too', async () => {
  const rig = await createRig({ files: { 'keys.csv': 'key\nA\nB\n' } });
  for (const key of ['A', 'B'])
    await rig.run(`ship -f - --key ${key} --allow-duplicate`, { stdin: JSON.stringify(SHIPMENT) });
  const ran = await rig.run('batch label keys.csv --merge day.pdf --per-page 4 --stamp {key}');
  expect(ran.exitCode).toBe(0);
  const texts = pageTexts(join(rig.folder, 'day.pdf')).join('\n');
  expect([texts.includes('A'), texts.includes('B')]).toEqual([true, true]);
});

test('An image says how large it is, and which side is up', async () => {
  const { rig } = await labelledBy({ 'S-1': png(406, 609, 406) });
  await rig.run('label K1 --merge day.pdf');
  expect(await sizesIn(join(rig.folder, 'day.pdf'))).toEqual([[72, 108]]);
});

test.each([
  ['--fit a6', '--fit says how labels are printed or merged'],
  ['--print --per-page 2', '--per-page needs --merge FILE'],
  ['--per-page 2', '--per-page needs --merge FILE'],
  ['--merge a.pdf --per-page 2 --fit a6', '--fit and --per-page name two papers'],
  ['--merge a.pdf --per-page 3', 'Allowed choices are 2, 4'],
  ['--merge a.pdf --fit tiny', 'It must be a size of 20 to 1000 mm such as 100x150mm'],
  ['--merge a.pdf --fit 1x1mm', 'It must be a size of 20 to 1000 mm'],
  ['--merge a.pdf --crop 1,2,3', 'It must be auto, or X,Y,WxH in mm'],
  // Inches.
  ['--merge a.pdf --crop 1,1,4x6', 'and at least 20x20 mm large'],
  ['--merge a.pdf --stamp {name}', 'in which {key} and {receiver} stand'],
])('label K1 %s is refused before anything is sent', async (options, message) => {
  const { rig, posts } = await labelledBy(LABELS);
  const before = posts();
  const ran = await rig.run(`label K1 ${options}`);
  expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(posts()).toBe(before);
});
