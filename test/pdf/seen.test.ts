// What is merged is what a viewer shows: small PDFs are drawn by another program before and after, and the pictures compared.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createPdf } from '../../src/pdf/pdf.ts';
import { notInstalled, titled } from '../rig/needs.ts';
import { SMALL_PDFS, UNDRAWN_PDFS } from '../rig/small-pdfs.ts';

const HEAD = Buffer.from('%PDF-1.7\n');
const noViewer = notInstalled('pdftoppm');
const folder = mkdtempSync(join(tmpdir(), 'waybill-seen-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The pixels of the first page, as another program draws it: a grey picture with its size in front. */
function drawn(pdf: Uint8Array, name: string): Buffer {
  const path = join(folder, name);
  writeFileSync(`${path}.pdf`, pdf);
  execFileSync('pdftoppm', ['-r', '72', '-gray', '-singlefile', '-cropbox', `${path}.pdf`, path], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return readFileSync(`${path}.pgm`);
}

/** Pixels that differ by more than the smoothing of an edge. */
function unlike(before: Buffer, after: Buffer): number {
  const head = before.subarray(0, before.indexOf('255\n') + 4).toString();
  expect(after.subarray(0, after.indexOf('255\n') + 4).toString()).toBe(head);
  return before.filter((pixel, at) => Math.abs(pixel - (after[at] ?? 0)) > 80).length;
}

async function merged(label: Buffer): Promise<Uint8Array> {
  const pdf = createPdf(HEAD);
  await pdf.add(label);
  return pdf.bytes();
}

describe.skipIf(noViewer)(titled('What is merged is what a viewer shows, of', noViewer), () => {
  test.each(Object.entries(SMALL_PDFS))('%s', async (_, label) => {
    const [before, after] = [drawn(label, 'before'), drawn(await merged(label), 'after')];
    expect(unlike(before, after)).toBe(0);
    // It is merged a second time, as every label is that was read before.
    expect(unlike(before, drawn(await merged(Buffer.from(await merged(label))), 'again'))).toBe(0);
  });

  test('several labels, of which each has layers of its own', async () => {
    const pdf = createPdf(HEAD);
    await pdf.add(SMALL_PDFS['a layer that is off'] as Buffer);
    await pdf.add(SMALL_PDFS['layers that are all on'] as Buffer);
    const file = await pdf.bytes();
    expect(unlike(drawn(SMALL_PDFS['a layer that is off'] as Buffer, 'first'), drawn(file, 'both'))).toBe(0);
  });
});

test.each(Object.entries(UNDRAWN_PDFS))('%s is named, and not merged without it', async (_, label) => {
  await expect(merged(label)).rejects.toMatchObject({ fault: { fault: 'form-undrawn' } });
});

test('A file that is encrypted is called that, also where its parts cannot be read', async () => {
  const plain = (SMALL_PDFS['a plain page'] as Buffer).toString('latin1');
  for (const file of [
    plain.replace('/Root 1 0 R', '/Root 1 0 R /Encrypt 9 0 R'),
    // As a file with a stream for its table has it.
    plain.replace(
      'trailer\n<<',
      '7 0 obj\n<< /Type /XRef /Encrypt 9 0 R /Length 0 >>\nstream\n\nendstream\nendobj\ntrailer\n<<',
    ),
  ])
    await expect(merged(Buffer.from(file, 'latin1'))).rejects.toMatchObject({
      fault: { fault: 'encrypted' },
    });
});
