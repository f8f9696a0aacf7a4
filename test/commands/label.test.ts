// `label`: both legs, several shipments in one command, one PDF and one print job.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { commandOf, connected, GENERATIONS } from '../rig/agent.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { labelledBy, PDF, pdfOf, png, sizesIn } from '../rig/labels.ts';
import { titled } from '../rig/needs.ts';
import { noReader, pageTexts } from '../rig/pdf.ts';
import { bodyOf, DUAL, errorOf, posted, SHIPMENT, sent } from '../rig/service.ts';

const LABEL = 'POST /v2/carriers/create';

/** A rig with shipments of these keys, and their ids. */
async function booked(...keys: string[]): Promise<{ rig: Rig; ids: string[] }> {
  const rig = await createRig();
  const ids: string[] = [];
  for (const key of keys)
    ids.push((await rig.run(`ship -f - -q --key ${key}`, { stdin: JSON.stringify(SHIPMENT) })).stdout.trim());
  return { rig, ids };
}

/** The command for both legs of a pair that was just booked, and their ids. */
async function paired(rig: Rig) {
  const { stdout } = await rig.run('ship-dual -f - -q', { stdin: JSON.stringify(DUAL) });
  const [international = '', domestic = ''] = stdout.split('\n');
  const label = `label --international ${international} --domestic ${domestic}`;
  return { label, ids: { international, domestic } };
}

/** The shipment of each page, as the emulator writes it on its label. */
const pagesOf = (path: string) => pageTexts(path).map(page => /shp_\w{16}/.exec(page)?.[0]);

const reads = (title: string, run: () => Promise<void>) =>
  test.skipIf(noReader)(titled(title, noReader), run);

describe('Both legs of a pair', () => {
  test('have their labels by one call, a row each', async () => {
    const rig = await createRig();
    const { label, ids } = await paired(rig);
    const ran = await rig.run(label);
    expect([sent(ran), bodyOf(ran), ran.stderr]).toEqual([[LABEL], ids, '']);
    const rows = ran.stdout.trimEnd().split('\n');
    expect(rows.map(row => row.split(/ {2,}/))).toEqual([
      ['LEG', 'CARRIER', 'TRACKING NUMBER', 'LABEL'],
      ['international', expect.any(String), expect.any(String), expect.stringMatching(/^http:.*\.pdf$/)],
      ['domestic', 'DOM', expect.any(String), '-'],
    ]);
  });
});

describe('Of several shipments', () => {
  test('each is held against the rules of the operation, as one alone is: by command, and by an agent', async () => {
    const { rig, posts } = await labelledBy({ 'S-1': PDF, 'S-2': PDF });
    const [rule] = OPERATIONS.createLabels.rules;
    if (rule === undefined) throw new Error('labels have no rule');
    const refusing = vi
      .spyOn(rule, 'check')
      .mockImplementation(body =>
        JSON.stringify(body).includes('S-2')
          ? [{ path: 'international', message: 'must not be labelled' }]
          : [],
      );
    onTestFinished(() => void refusing.mockRestore());
    const one = await rig.run('label K2 --json');
    const several = await rig.run('label K1 K2 --json');
    const { call } = await connected(commandOf(rig).transport, GENERATIONS[1]);
    const agent = await call('label', { refs: ['K1', 'K2'] });
    expect(errorOf(one)).toMatchObject({ code: 'invalid_request', exitCode: 2 });
    expect(errorOf(several)).toMatchObject({ code: 'partial', issues: [{ path: 'K2' }] });
    expect(agent.result.error).toMatchObject({ code: 'partial', issues: [{ path: 'K2' }] });
    expect(posts()).toBe(1);
  });

  test('a label that may exist does not stop the others: exit 8', async () => {
    const { rig, posts } = await labelledBy({ 'S-1': PDF, 'S-2': undefined, 'S-3': PDF });
    const ran = await rig.run('label K1 K2 K3 --json --merge today.pdf');
    expect(errorOf(ran)).toMatchObject({ code: 'outcome_unknown', exitCode: 8, operation: 'label' });
    expect(errorOf(ran).message).toMatch(/1 of 3 shipments failed\. today\.pdf lacks a label: K2$/);
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { success: true },
      { id: 'K2', error: { code: 'outcome_unknown' } },
      { success: true },
    ]);
    expect(await sizesIn(join(rig.folder, 'today.pdf'))).toHaveLength(2);
    expect(posts()).toBe(3);
  });

  reads('Ctrl-C stops before the next label, and what was made is shown, merged and named', async () => {
    const { rig, ids } = await booked('A', 'B', 'C');
    const ran = await rig.run('label A B C --json --merge today.pdf', {
      onRequest: ({ method }, { interrupt }) => method === 'POST' && interrupt('SIGINT'),
    });
    expect(errorOf(ran)).toMatchObject({ code: 'interrupted', exitCode: 130 });
    expect(errorOf(ran).message).toMatch(/1 was not started\. today\.pdf lacks 3 labels: A, B, C$/);
    expect(posted(ran)).toEqual([LABEL]);
    expect(JSON.parse(ran.stdout)).toHaveLength(2);
    const again = await rig.run('label A B C --merge today.pdf');
    expect(posted(again)).toEqual([LABEL, LABEL]);
    expect(pagesOf(join(rig.folder, 'today.pdf'))).toEqual(ids);
  });
});

describe('--merge', () => {
  reads('for a person who prints it has the new ones first, and says on which pages they are', async () => {
    const { rig, ids } = await booked('A', 'B', 'C', 'D');
    const [a, b, c, d] = ids;
    const path = join(rig.folder, 'today.pdf');
    const first = await rig.run('label B D --merge today.pdf');
    expect(first.stderr).toContain(`labels merged: ${path} (2 labels)\n`);
    const ran = await rig.run('label D C B A --merge today.pdf');
    expect(pagesOf(path)).toEqual([c, a, d, b]);
    const earlier = `today.pdf (4 labels, 2 of them already in ${path} (merged `;
    expect(ran.stderr.replace(/\s+/g, ' ')).toContain(earlier);
    expect(ran.stderr).toMatch(/Print pages 1 to 2; the earlier ones are on pages 3 to 4\n/);
    const again = await rig.run('label D C B A --merge today.pdf');
    expect(pagesOf(path)).toEqual([d, c, b, a]);
    expect(again.stderr).toContain(`(4 labels, all of them already in ${path} (merged `);
  });

  test('takes a PNG as a page of its size, and lists ZPL and what is damaged: exit 9', async () => {
    const { rig } = await labelledBy({
      'S-1': png(812, 1218),
      'S-2': Buffer.from(`^XA${'^FO50,50^ADN,36,20^FDx^FS'.repeat(9)}^XZ`),
      'S-3': Buffer.from(`%PDF-1.4 ${'broken '.repeat(400)}%%EOF`),
      'S-4': png(100, 200, 300),
    });
    const ran = await rig.run('label K1 K2 K3 K4 --merge today.pdf --json');
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9 });
    expect(errorOf(ran).message).toMatch(/lacks 2 labels: K2 \(ZPL .* it is in .*K3 \(its PDF is damaged/);
    // 4 x 6 inches at 203 dots per inch, and what the second PNG says of itself.
    expect(await sizesIn(join(rig.folder, 'today.pdf'))).toEqual([
      [288, 432],
      [24, 48],
    ]);
  });

  test.each([
    ['has no type', /\/Type \/Page\n(?!.*\/Type \/Page\n)/s, '/Type /Leaf\n'],
    ['is not in the file', /(?<=\/Kids \[ \d+ 0 R )\d+/, '9'],
    ['is in no list', /(?<=\/Kids \[ \d+ 0 R )\d+ 0 R/, ''],
  ])('does not take a label of two pages of which one %s: exit 9', async (_, part, instead) => {
    const whole = (await pdfOf([1, 2])).toString('latin1');
    const lost = whole.replace(part, text => instead.padEnd(text.length));
    expect(lost).not.toBe(whole);
    const { rig } = await labelledBy({ 'S-1': PDF, 'S-2': Buffer.from(lost, 'latin1') });
    const ran = await rig.run('label K1 K2 --merge today.pdf --json');
    expect(ran.exitCode).toBe(9);
    expect(errorOf(ran).message).toMatch(
      /today\.pdf lacks a label: K2 \(its PDF is damaged; it is in .*K2\.pdf\)/,
    );
  });

  test('without a label leaves an earlier file, because nobody may have printed it, and says so', async () => {
    const { rig } = await booked('A');
    await rig.run('label A --merge today.pdf');
    const earlier = readFileSync(join(rig.folder, 'today.pdf'));
    const names = Array.from({ length: 13 }, (_, index) => `S-9${index}`);
    const ran = await rig.run(`label ${names.join(' ')} --merge today.pdf --json`);
    expect(ran.exitCode).toBe(9);
    expect(errorOf(ran).message).toMatch(/today\.pdf lacks 13 labels: S-90, .*S-99 and 3 more$/);
    expect(ran.stderr).toMatch(/today\.pdf is of an earlier merge/);
    // Another desk has merged them in the meantime.
    expect((await rig.run('label --unprinted --merge today.pdf')).exitCode).toBe(0);
    expect(readFileSync(join(rig.folder, 'today.pdf'))).toEqual(earlier);
    expect((await rig.run('label S-8 S-9 --merge none.pdf')).exitCode).toBe(9);
    expect(existsSync(join(rig.folder, 'none.pdf'))).toBe(false);
    expect(readdirSync(rig.folder).filter(name => name.endsWith('.part'))).toEqual([]);
  });
});
