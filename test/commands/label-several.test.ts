// label with several shipments: one command, one PDF, one print job.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { labelledBy, PDF, pdfOf, png, sizesIn } from '../rig/labels.ts';
import { titled } from '../rig/needs.ts';
import { noReader, pageTexts } from '../rig/pdf.ts';
import { bodyOf, errorOf, posted, SHIPMENT, sent } from '../rig/service.ts';

const LABEL = 'POST /v2/carriers/create';

/** A rig with shipments of these keys, and their ids. */
async function booked(...keys: string[]): Promise<{ rig: Rig; ids: string[] }> {
  const rig = await createRig();
  const ids: string[] = [];
  for (const key of keys)
    ids.push((await rig.run(`ship -f - -q --key ${key}`, { stdin: JSON.stringify(SHIPMENT) })).stdout.trim());
  return { rig, ids };
}

/** The shipment of each page, as the emulator writes it on its label. */
const pagesOf = (path: string) => pageTexts(path).map(page => /shp_\w{16}/.exec(page)?.[0]);

const reads = (title: string, run: () => Promise<void>) =>
  test.skipIf(noReader)(titled(title, noReader), run);

test('REFs are keys, shipments and tracking numbers; each shipment is labelled once, and JSON is an array', async () => {
  const { rig, ids } = await booked('A', 'B', 'C');
  const [a = '', b = '', c = ''] = ids;
  const first = JSON.parse((await rig.run('label A --json')).stdout);
  const tracking = first.international.trackingNumber;
  const ran = await rig.run(`label ${c} ${tracking} --key B --key A --json`);
  expect(ran.exitCode).toBe(0);
  expect(sent(ran)).toEqual([LABEL, LABEL]);
  expect(ran.requests.map(({ body }) => JSON.parse(body).international)).toEqual([c, b]);
  const shown = JSON.parse(ran.stdout);
  expect(shown).toHaveLength(3);
  expect(shown[1].international.trackingNumber).toBe(tracking);
  expect(ran.stderr).toContain(`the label of ${a} was made before`);
  const table = await rig.run('label A B');
  expect(table.stdout.split('\n')[0]).toMatch(/^SHIPMENT +LEG +CARRIER +TRACKING NUMBER +LABEL$/);
  expect(table.stdout).toMatch(/^B +international /m);
});

test('a name that the journal does not know has no leg: the error names the flags, and nothing is sent', async () => {
  const { rig, ids } = await booked('A');
  const alone = await rig.run('label shp_9kq2x --json --sandbox');
  expect(errorOf(alone)).toMatchObject({ code: 'not_found', exitCode: 4 });
  expect(errorOf(alone).message).toContain(
    '`waybill label --international shp_9kq2x --sandbox`, or `waybill label --domestic shp_9kq2x --sandbox`',
  );
  expect(alone.requests).toEqual([]);
  const file = await rig.run('label morning.csv --json --sandbox');
  expect(errorOf(file).message).toContain('`waybill batch label --sandbox morning.csv`');
  const ran = await rig.run('label shp_9kq2x A --json');
  expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9, operation: 'label' });
  expect(errorOf(ran).issues.map(({ path }: { path: string }) => path)).toEqual(['shp_9kq2x']);
  const [missing, made] = JSON.parse(ran.stdout);
  expect(missing).toMatchObject({ id: 'shp_9kq2x', error: { code: 'not_found', exitCode: 4 } });
  expect(made.international.success).toBe(true);
  expect(bodyOf(ran)).toEqual({ international: ids[0] });
});

test('a label that may exist does not stop the others: exit 8', async () => {
  const { rig, posts } = await labelledBy({ 'S-1': PDF, 'S-2': undefined, 'S-3': PDF });
  const ran = await rig.run('label K1 K2 K3 --json --merge today.pdf');
  expect(errorOf(ran)).toMatchObject({ code: 'outcome_unknown', exitCode: 8, operation: 'label' });
  expect(errorOf(ran).message).toMatch(/^label: 1 of 3 shipments failed\. today\.pdf lacks a label: K2$/);
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
  expect(errorOf(ran).message).toMatch(/\. 1 was not started\. today\.pdf lacks 3 labels: A, B, C$/);
  expect(posted(ran)).toEqual([LABEL]);
  expect(JSON.parse(ran.stdout)).toHaveLength(2);
  const again = await rig.run('label A B C --merge today.pdf');
  expect(posted(again)).toEqual([LABEL, LABEL]);
  expect(pagesOf(join(rig.folder, 'today.pdf'))).toEqual(ids);
});

describe('--merge', () => {
  reads('is one PDF in the order given, and one print job', async () => {
    const { rig, ids } = await booked('A', 'B', 'C');
    const [a, b, c] = ids;
    const ran = await rig.run('label C A B --merge today.pdf --print');
    expect(ran.exitCode).toBe(0);
    const path = join(rig.folder, 'today.pdf');
    expect(pagesOf(path)).toEqual([c, a, b]);
    expect(ran.programs).toEqual([['lp', path]]);
    expect(ran.stderr).toContain(`labels merged: ${path}`);
  });

  reads('replaces its own file, and prints only what is new; --reprint prints all', async () => {
    const { rig, ids } = await booked('A', 'B');
    const [a, b] = ids;
    await rig.run('label A --merge today.pdf --print');
    const ran = await rig.run('label A B --merge today.pdf --print');
    expect(pagesOf(join(rig.folder, 'today.pdf'))).toEqual([a, b]);
    expect(ran.programs).toEqual([['lp', join(rig.folder, 'state/labels/B.pdf')]]);
    expect(ran.stderr).toContain(
      '1 label was printed before, and is not printed again; `waybill label --print --reprint A` prints it',
    );
    const rerun = await rig.run('label A B --merge today.pdf --print');
    expect(rerun.programs).toEqual([]);
    const all = await rig.run('label A B --merge today.pdf --print --reprint');
    expect(all.programs).toEqual([['lp', join(rig.folder, 'today.pdf')]]);
    expect(posted(all)).toEqual([]);
  });

  reads('for a person who prints it has the new ones first, and says on which pages they are', async () => {
    const { rig, ids } = await booked('A', 'B', 'C', 'D');
    const [a, b, c, d] = ids;
    const path = join(rig.folder, 'today.pdf');
    const first = await rig.run('label B D --merge today.pdf');
    expect(first.stderr).toContain(`labels merged: ${path} (2 labels)\n`);
    const ran = await rig.run('label D C B A --merge today.pdf');
    expect(pagesOf(path)).toEqual([c, a, d, b]);
    expect(ran.stderr).toContain(
      `labels merged: ${path} (4 labels, 2 of them printed before): print pages 1 to 2; on pages 3 to 4 are those that were printed before\n`,
    );
    const again = await rig.run('label D C B A --merge today.pdf');
    expect(pagesOf(path)).toEqual([d, c, b, a]);
    expect(again.stderr).toContain('today.pdf (4 labels, all of them printed before)\n');
    expect(again.programs).toEqual([]);
  });

  test('leaves any other file alone: it is refused before anything is sent', async () => {
    const { rig } = await booked('A');
    const file = rig.file('today.pdf', '%PDF-1.7\nmine');
    const ran = await rig.run('label A --merge today.pdf --json');
    expect(errorOf(ran)).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(ran.requests).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe('%PDF-1.7\nmine');
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
    const { message } = errorOf(ran);
    expect(message).toContain('today.pdf lacks 2 labels: K2 (ZPL cannot be a page of a PDF; it is in ');
    expect(message).toContain('K3 (its PDF is damaged');
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
  ])('does not take a label of two pages of which one %s: exit 9', async (_, found, other) => {
    const whole = (await pdfOf([1, 2])).toString('latin1');
    const lost = whole.replace(found, text => other.padEnd(text.length));
    expect(lost).not.toBe(whole);
    const { rig } = await labelledBy({ 'S-1': PDF, 'S-2': Buffer.from(lost, 'latin1') });
    const ran = await rig.run('label K1 K2 --merge today.pdf --json');
    expect([ran.exitCode, errorOf(ran).message]).toEqual([
      9,
      expect.stringMatching(/today\.pdf lacks a label: K2 \(its PDF is damaged; it is in .*K2\.pdf\)/),
    ]);
  });

  reads('takes a PDF as other programs write it', async () => {
    const written = (name: string, ...options: string[]): Buffer => {
      const [from, to] = [join(rig.folder, 'label.pdf'), join(rig.folder, name)];
      execFileSync('qpdf', [...options, from, to]);
      return readFileSync(to);
    };
    const rig = await createRig();
    writeFileSync(join(rig.folder, 'label.pdf'), PDF);
    // Its objects within streams, in plain text, and in the order in which a browser shows them.
    const { rig: shop } = await labelledBy({
      'S-1': written('streams.pdf', '--object-streams=generate'),
      'S-2': written('plain.pdf', '--qdf', '--object-streams=disable'),
      'S-3': written('linear.pdf', '--linearize', '--force-version=1.4'),
    });
    expect((await shop.run('label K1 K2 K3 --merge today.pdf')).exitCode).toBe(0);
    const [own = ''] = pageTexts(join(rig.folder, 'label.pdf'));
    expect(own).toContain('T-1');
    expect(pageTexts(join(shop.folder, 'today.pdf'))).toEqual([own, own, own]);
  });

  test('without a label an earlier file stays, because nobody may have printed it, and that is said', async () => {
    const { rig } = await booked('A');
    await rig.run('label A --merge today.pdf');
    const earlier = readFileSync(join(rig.folder, 'today.pdf'));
    const ran = await rig.run('label S-8 S-9 --merge today.pdf --json');
    expect(ran.exitCode).toBe(9);
    expect(errorOf(ran).message).toContain('today.pdf lacks 2 labels: S-8, S-9');
    expect(readFileSync(join(rig.folder, 'today.pdf'))).toEqual(earlier);
    const still = /today\.pdf is still that of an earlier merge: there was no label to put into it/;
    expect(ran.stderr).toMatch(still);
    // Another desk has merged them in the meantime.
    const late = await rig.run('label --unprinted --merge today.pdf');
    expect(late.exitCode).toBe(0);
    expect(readFileSync(join(rig.folder, 'today.pdf'))).toEqual(earlier);
    expect((await rig.run('label S-8 S-9 --merge none.pdf')).exitCode).toBe(9);
    expect(existsSync(join(rig.folder, 'none.pdf'))).toBe(false);
    expect(readdirSync(rig.folder).filter(name => name.endsWith('.part'))).toEqual([]);
    const names = Array.from({ length: 13 }, (_, index) => `S-9${index}`);
    const many = await rig.run(`label ${names.join(' ')} --merge today.pdf --json`);
    expect(errorOf(many).message).toMatch(
      new RegExp(`today\\.pdf lacks 13 labels: ${names.slice(0, 10).join(', ')} and 3 more$`),
    );
  });
});
