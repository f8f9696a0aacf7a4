import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type LabelText, labelPdf } from '../../src/emulator/label-pdf.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-label-'));
afterAll(() => rmSync(folder, { recursive: true }));

const USUAL: LabelText = {
  carrier: 'Emulated Express',
  service: 'express',
  trackingNumber: 'EXP0000000001',
  reference: 'shp_abcdefghjkmnpqrs',
  from: [
    'Ada Yılmaz',
    'Örnek \\ Ticaret (A.Ş.)',
    'İstiklal Cd. 1',
    '34000 İstanbul',
    'TÜRKIYE (TR)',
    'Phone +90 5550001',
  ],
  to: ['王小明', '朝阳区建国路88号', '100022 北京市', 'CHINA (CN)', 'Phone +86 1380000'],
  pieces: [1.5],
};
const LONG: LabelText = {
  ...USUAL,
  to: [
    `${'Wolfeschlegelsteinhausenbergerdorff '.repeat(9)}`,
    'W'.repeat(300),
    `Straße ${'des 17. Juni '.repeat(30)}`,
  ],
  pieces: Array<number>(12).fill(0.1 + 0.2),
};
const has = (tool: string) => spawnSync(tool, ['--version']).error === undefined;
const textOf = (label: LabelText) => Buffer.from(labelPdf(label)).toString('latin1');
/** What is shown, without the order of its places. */
const shownIn = (file: string) =>
  [...file.matchAll(/\((.*)\) Tj ET$/gm)].map(([, shown = '']) => shown.replace(/\\([\\()])/g, '$1'));

test.each([USUAL, LONG])('the cross-reference table has the offsets of the objects', label => {
  const file = textOf(label);
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
  expect(file.slice(start, start + 4)).toBe('xref');
  const offsets = [...file.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(match => Number(match[1]));
  expect(offsets).toHaveLength(5 + 2 * label.pieces.length);
  for (const [index, offset] of offsets.entries())
    expect(file.slice(offset, offset + 7 + (index > 8 ? 1 : 0))).toBe(`${index + 1} 0 obj`);
});

test('receiver, sender, telephones, service, reference and barcode are on it, in letters that its fonts have', () => {
  const shown = shownIn(textOf(USUAL));
  for (const line of [
    ...['Emulated Express', 'EXPRESS', 'shp_abcdefghjkmnpqrs', 'EXP0000000001', '1 of 1', '1.5 kg'],
    ...['Ada Yilmaz', '\xd6rnek \\ Ticaret (A.S.)', '34000 Istanbul', 'T\xdcRKIYE (TR)', 'Phone +90 5550001'],
    ...['WangXiaoMing', 'ChaoYangQuJianGuoLu88Hao', '100022 BeiJingShi', 'CHINA (CN)', 'Phone +86 1380000'],
  ])
    expect(shown).toContain(line);
  expect(shown.join('')).not.toContain('?');
});

test('each piece has a page with its number and weight', () => {
  const file = textOf({ ...USUAL, pieces: [1, 1, 0.1 + 0.2] });
  expect(file.match(/\/Type \/Page\b[^s]/g)).toHaveLength(3);
  expect(shownIn(file).filter(line => / of | kg/.test(line))).toEqual([
    '1 of 3',
    '1 kg',
    '2 of 3',
    '1 kg',
    '3 of 3',
    '0.3 kg',
  ]);
});

test('every character of a long text is on the label', () => {
  const told = LONG.to.join('').replace(/\s/g, '').replaceAll('ß', '\xdf');
  expect(shownIn(textOf(LONG)).join('').replaceAll(' ', '')).toContain(told);
  const word = fc.string({ unit: fc.constantFrom(...'aAmWi@Üß(\\)'), maxLength: 200 });
  const lines = fc.array(
    fc.array(word, { maxLength: 8 }).map(words => words.join(' ')),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(lines, to => {
      const shown = shownIn(textOf({ ...USUAL, from: [], to }))
        .join('')
        .replaceAll(' ', '');
      expect(shown).toContain(to.join('').replaceAll(' ', ''));
    }),
  );
});

describe('other tools', () => {
  const saved = (name: string, bytes: Uint8Array) => {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    return file;
  };

  test.runIf(has('qpdf'))('qpdf finds no problem', () => {
    for (const label of [USUAL, LONG]) {
      const file = saved('checked.pdf', labelPdf(label));
      expect(execFileSync('qpdf', ['--check', file], { encoding: 'utf8' })).toContain('No syntax');
    }
  });

  // pdftotext measures with its own widths of the fonts.
  test.runIf(has('pdftotext'))('no word leaves its page, or is on another', () => {
    for (const label of [
      USUAL,
      LONG,
      { ...LONG, from: LONG.to, to: [`${'Ж'.repeat(2000)}`, '@'.repeat(99)] },
    ]) {
      const file = saved('measured.pdf', labelPdf(label));
      const page = execFileSync('pdftotext', ['-bbox', '-l', '1', file, '-'], { encoding: 'utf8' });
      const words = [...page.matchAll(/<word xMin="(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">/g)].map(
        ([, ...box]) => box.map(Number) as [number, number, number, number],
      );
      expect(words.length).toBeGreaterThan(20);
      for (const [left, top, right, bottom] of words) {
        expect([left >= 16.9, right <= 266.6, top >= 0, bottom <= 425.2]).toEqual([true, true, true, true]);
        const covered = words.filter(
          ([x0, y0, x1, y1]) =>
            x0 < right - 0.1 && left < x1 - 0.1 && y0 < (top + bottom) / 2 && (top + bottom) / 2 < y1,
        );
        expect(covered).toHaveLength(1);
      }
    }
  });

  test.runIf(has('pdftoppm') && has('zbarimg'))('a scanner reads the tracking number', () => {
    for (const tracking of ['EXP0000000001', 'DOM1234567890', ' ~!"#$%&)(*+,-./:', 'abcxyz_XYZ~{|}@[']) {
      const file = saved('scanned.pdf', labelPdf({ ...LONG, trackingNumber: tracking }));
      execFileSync('pdftoppm', ['-r', '150', '-png', '-f', '12', '-singlefile', file, file]);
      const scanned = spawnSync('zbarimg', ['--quiet', '--raw', `${file}.png`], { encoding: 'utf8' });
      expect(scanned.stdout.replace(/\n$/, '')).toBe(tracking);
    }
  });
});
