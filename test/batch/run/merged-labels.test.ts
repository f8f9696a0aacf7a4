// --merge and --print of a batch: one file in the order of the input, and no label printed twice.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig } from '../../rig/command.ts';
import { labelledBy, png, sizesIn } from '../../rig/labels.ts';
import { errorOf, posted, SHIPMENT } from '../../rig/service.ts';

/** Pictures whose widths on the page tell them apart: 10, 20, 30, … points. */
const picture = (number: number) => png(number * 10, 10, 72);
const widthsIn = async (path: string) => (await sizesIn(path)).map(([width]) => width);
const orders = (...keys: string[]) => keys.map(key => ({ key, ...SHIPMENT, ...receiver(key) }));
/** No two orders are the same. */
const receiver = (firstName: string) => ({ receiver: { ...(SHIPMENT.receiver as object), firstName } });

describe('batch label --merge', () => {
  const KEYS = 'key\nK3\nK1\nK4\nK2\n';
  const all = (last?: string) =>
    labelledBy(
      { 'S-1': picture(1), 'S-2': picture(2), 'S-3': picture(3), 'S-4': picture(4) },
      last === undefined ? {} : { last },
    );

  test('is one PDF in the order of the file and not of finishing, and one print job', async () => {
    const { rig } = await all('S-3');
    rig.file('keys.csv', KEYS);
    const ran = await rig.run('batch label keys.csv --merge today.pdf --print');
    expect(ran.exitCode).toBe(0);
    const path = join(rig.folder, 'today.pdf');
    expect(await widthsIn(path)).toEqual([30, 10, 40, 20]);
    expect(ran.programs).toEqual([['lp', path]]);
  });

  test('run again has all of them, and prints the new ones alone; --reprint prints all', async () => {
    const { rig, posts } = await all();
    rig.file('keys.csv', 'key\nK3\nK1\n');
    await rig.run('batch label keys.csv --merge today.pdf --print');
    rig.file('keys.csv', KEYS);
    const ran = await rig.run('batch label keys.csv --merge today.pdf --print');
    expect(await widthsIn(join(rig.folder, 'today.pdf'))).toEqual([30, 10, 40, 20]);
    expect(await widthsIn(join(rig.folder, 'today.new.pdf'))).toEqual([40, 20]);
    expect(ran.programs).toEqual([['lp', join(rig.folder, 'today.new.pdf')]]);
    expect(ran.stderr).toContain(
      '2 labels were printed before, and are not printed again; `waybill label --print --reprint K3 K1` prints them',
    );
    expect(ran.stderr).toContain('today.pdf (4 labels, 2 of them printed before)\n');
    expect(ran.stderr).toContain('today.new.pdf (2 labels)\n');
    const rerun = await rig.run('batch label keys.csv --merge today.pdf --print');
    expect(rerun.programs).toEqual([]);
    expect(rerun.stderr).toContain(
      '4 labels were printed before, and are not printed again; the same command with --reprint prints them',
    );
    const jam = await rig.run('batch label keys.csv --merge today.pdf --print --reprint');
    expect(jam.programs).toEqual([['lp', join(rig.folder, 'today.pdf')]]);
    expect(posts()).toBe(4);
  });
});

test('batch ship --label prints new labels only, without --merge too', async () => {
  const rig = await createRig();
  rig.file('orders.json', orders('A', 'B'));
  const first = await rig.run('batch ship orders.json --label --print');
  expect(first.programs.map(([, file]) => file?.slice(-6)).sort()).toEqual(['/A.pdf', '/B.pdf']);
  rig.file('orders.json', orders('A', 'B', 'C'));
  const again = await rig.run('batch ship orders.json --label --print');
  expect(again.programs).toEqual([['lp', join(rig.folder, 'state/labels/C.pdf')]]);
  expect(again.stderr).toContain('again; `waybill label --print --reprint A B` prints them');
  expect(posted(again)).toHaveLength(2);
});

test('a record of batch ship without a label is not missing in the file', async () => {
  const rig = await createRig();
  rig.file(
    'orders.json',
    [{ label: true }, { label: false }].map((own, index) => ({ ...orders(`K${index}`)[0], ...own })),
  );
  const ran = await rig.run('batch ship orders.json --merge today.pdf');
  expect(ran.exitCode).toBe(0);
  expect(await sizesIn(join(rig.folder, 'today.pdf'))).toHaveLength(1);
});

test.each(['--reprint', '--merge today.pdf'])('%s alone is refused before anything is sent', async flag => {
  const rig = await createRig();
  rig.file('orders.json', orders('A'));
  const ran = await rig.run(`batch ship orders.json ${flag} --json`);
  expect(errorOf(ran)).toMatchObject({ code: 'usage', exitCode: 2 });
  expect(ran.requests).toEqual([]);
});
