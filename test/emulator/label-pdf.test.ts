import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { labelPdf } from '../../src/emulator/label-pdf.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-label-'));
afterAll(() => rmSync(folder, { recursive: true }));

const label = (trackingNumber: string, names: readonly string[]) =>
  labelPdf({ carrier: 'Emulated Express', trackingNumber, shipmentId: 'shp_1', from: names, to: names });
const NAMES = ['Şule Ağaoğlu (Örnek \\ Ltd.)', '東京 😀\n\u0007', 'x'.repeat(300)];
const has = (tool: string) => spawnSync(tool, ['--version']).error === undefined;

test('the cross-reference table has the offsets of the objects', () => {
  const file = Buffer.from(label('EXP0000000001', NAMES)).toString('latin1');
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
  expect(file.slice(start, start + 4)).toBe('xref');
  const offsets = [...file.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(match => Number(match[1]));
  expect(offsets).toHaveLength(6);
  for (const [index, offset] of offsets.entries())
    expect(file.slice(offset, offset + 7)).toBe(`${index + 1} 0 obj`);
});

test('text that the fonts do not have becomes its base letter or a question mark', () => {
  const file = Buffer.from(label('EXP0000000001', NAMES)).toString('latin1');
  expect(file).toContain('(Sule Agaoglu \\(\xd6rnek \\\\ Ltd.\\)) Tj');
  expect(file).toContain('(?? ???) Tj');
});

describe('other tools', () => {
  const saved = (name: string, bytes: Uint8Array) => {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    return file;
  };

  test.runIf(has('qpdf'))('qpdf finds no problem', () => {
    const file = saved('checked.pdf', label('EXP0000000001', NAMES));
    expect(execFileSync('qpdf', ['--check', file], { encoding: 'utf8' })).toContain('No syntax');
  });

  test.runIf(has('pdftoppm') && has('zbarimg'))('a scanner reads the tracking number', () => {
    for (const tracking of ['EXP0000000001', 'DOM1234567890', ' ~!"#$%&)(*+,-./:', 'abcxyz_XYZ~{|}@[']) {
      const file = saved('scanned.pdf', label(tracking, NAMES));
      execFileSync('pdftoppm', ['-r', '150', '-png', '-singlefile', file, file]);
      const scanned = spawnSync('zbarimg', ['--quiet', '--raw', `${file}.png`], { encoding: 'utf8' });
      expect(scanned.stdout.replace(/\n$/, '')).toBe(tracking);
    }
  });
});
