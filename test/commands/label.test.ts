// `label`: both legs, several shipments in one command, one PDF and one print job.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { bookingAt, fill, labelAt, UNKNOWN } from '../rig/journal.ts';
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

  test.each([
    ['international', 'domestic'],
    ['domestic', 'international'],
  ] as const)(
    'of which the %s one fails are exit 9, with the command for that one',
    async (failed, whole) => {
      const rig = await createRig({ faults: [{ kind: `label-${failed}`, probability: 1 }] });
      const { label, ids } = await paired(rig);
      const ran = await rig.run(`${label} --json`);
      expect(JSON.parse(ran.stdout)[whole].success).toBe(true);
      expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9, operation: 'label' });
      expect(errorOf(ran).message).toMatch(new RegExp(`waybill label --${failed} ${ids[failed]}$`));
      expect(sent(ran)).toEqual([LABEL]);
    },
  );
});

test('--dry-run says what the journal knows of each: new, booked, unknown, and a price that nobody accepted', async () => {
  const rig = await createRig();
  await fill(rig, 'state', [
    bookingAt(rig, 1),
    labelAt(rig, 2, 1),
    bookingAt(rig, 3, { maxPrice: '5 EUR', overPrice: true }),
    bookingAt(rig, 4),
    labelAt(rig, 5, 4, UNKNOWN),
  ]);
  const state = ({ journal }: { journal: { state: string } }) => journal.state;
  for (const [names, exitCode, states] of [
    ['--international S-9', 0, ['new']],
    ['K-1', 0, ['booked']],
    ['K-3', 11, ['new']],
    ['S-4', 8, ['unknown']],
    ['K-1 K-3', 9, ['booked', 'new']],
  ] as const) {
    const ran = await rig.run(`label ${names} --dry-run --json`);
    expect([ran.exitCode, [JSON.parse(ran.stdout)].flat().map(state), ran.requests]).toEqual([
      exitCode,
      states,
      [],
    ]);
  }
});

describe('A REF', () => {
  test('is a key, a shipment or a tracking number; each shipment is labelled once, and JSON is an array', async () => {
    const { rig, ids } = await booked('A', 'B', 'C');
    const [a = '', b = '', c = ''] = ids;
    const { trackingNumber } = JSON.parse((await rig.run('label A --json')).stdout).international;
    const ran = await rig.run(`label ${c} ${trackingNumber} --key B --key A --json`);
    expect([ran.exitCode, sent(ran)]).toEqual([0, [LABEL, LABEL]]);
    expect(ran.requests.map(({ body }) => JSON.parse(body).international)).toEqual([c, b]);
    const shown = JSON.parse(ran.stdout);
    expect([shown.length, shown[1].international.trackingNumber]).toEqual([3, trackingNumber]);
    expect(ran.stderr).toContain(`the label of ${a} was made before`);
    const { stdout } = await rig.run('label A B');
    expect(stdout).toMatch(/^SHIPMENT +LEG +CARRIER +TRACKING NUMBER +LABEL\nA +international .*\nB /);
  });

  test('that the journal does not know has no leg: the error names the flags, and nothing is sent', async () => {
    const { rig, ids } = await booked('A');
    const alone = await rig.run('label shp_9kq2x --json --sandbox');
    expect([errorOf(alone).exitCode, alone.requests]).toEqual([4, []]);
    for (const leg of ['international', 'domestic'])
      expect(errorOf(alone).message).toContain(`\`waybill label --${leg} shp_9kq2x --sandbox\``);
    const file = await rig.run('label morning.csv --json --sandbox');
    expect(errorOf(file).message).toContain('`waybill batch label --sandbox morning.csv`');
    const ran = await rig.run('label shp_9kq2x A --json');
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9, issues: [{ path: 'shp_9kq2x' }] });
    const [missing, label] = JSON.parse(ran.stdout);
    expect(missing).toMatchObject({ id: 'shp_9kq2x', error: { code: 'not_found', exitCode: 4 } });
    expect(label.international.success).toBe(true);
    expect(bodyOf(ran)).toEqual({ international: ids[0] });
  });
});

describe('Of several shipments', () => {
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
    expect(ran.stderr).toMatch(/print pages 1 to 2; on pages 3 to 4 are those that were printed before\n/);
    const again = await rig.run('label D C B A --merge today.pdf');
    expect(pagesOf(path)).toEqual([d, c, b, a]);
    expect(again.stderr).toContain('today.pdf (4 labels, all of them printed before)\n');
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

  reads('takes a PDF as other programs write it', async () => {
    const rig = await createRig();
    const from = join(rig.folder, 'label.pdf');
    writeFileSync(from, PDF);
    const written = (options: string): Buffer => {
      const to = join(rig.folder, 'written.pdf');
      execFileSync('qpdf', [...options.split(' '), from, to]);
      return readFileSync(to);
    };
    // Its objects within streams, in plain text, and in the order in which a browser shows them.
    const { rig: shop } = await labelledBy({
      'S-1': written('--object-streams=generate'),
      'S-2': written('--qdf --object-streams=disable'),
      'S-3': written('--linearize --force-version=1.4'),
    });
    expect((await shop.run('label K1 K2 K3 --merge today.pdf')).exitCode).toBe(0);
    const [text = ''] = pageTexts(from);
    expect(text).toContain('T-1');
    expect(pageTexts(join(shop.folder, 'today.pdf'))).toEqual([text, text, text]);
  });

  test('without a label leaves an earlier file, because nobody may have printed it, and says so', async () => {
    const { rig } = await booked('A');
    await rig.run('label A --merge today.pdf');
    const earlier = readFileSync(join(rig.folder, 'today.pdf'));
    const names = Array.from({ length: 13 }, (_, index) => `S-9${index}`);
    const ran = await rig.run(`label ${names.join(' ')} --merge today.pdf --json`);
    expect(ran.exitCode).toBe(9);
    expect(errorOf(ran).message).toMatch(/today\.pdf lacks 13 labels: S-90, .*S-99 and 3 more$/);
    expect(ran.stderr).toMatch(/today\.pdf is still that of an earlier merge/);
    // Another desk has merged them in the meantime.
    expect((await rig.run('label --unprinted --merge today.pdf')).exitCode).toBe(0);
    expect(readFileSync(join(rig.folder, 'today.pdf'))).toEqual(earlier);
    expect((await rig.run('label S-8 S-9 --merge none.pdf')).exitCode).toBe(9);
    expect(existsSync(join(rig.folder, 'none.pdf'))).toBe(false);
    expect(readdirSync(rig.folder).filter(name => name.endsWith('.part'))).toEqual([]);
  });
});
