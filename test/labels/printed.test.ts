// What was printed is remembered: a label is printed once, and one that was not is asked for until it is.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changed } from '../contract/rig.ts';
import { createRig, type Rig, type RigOptions } from '../rig/command.ts';
import { labelledBy, PDF } from '../rig/labels.ts';
import { numberedService } from '../rig/numbered.ts';
import { DUAL, errorOf, posted, SHIPMENT, switchable } from '../rig/service.ts';

const orderOf = (key: string) => JSON.stringify(changed(SHIPMENT, { 'receiver.firstName': key }));
const ship = (rig: Rig, key: string, flags = '') =>
  rig.run(`ship -f - --key ${key} ${flags}`, { stdin: orderOf(key) });

/** A rig in which these keys were booked. */
async function shop(keys: string, options: RigOptions = {}): Promise<Rig> {
  const rig = await createRig(options);
  for (const key of keys.split(' ')) await ship(rig, key);
  return rig;
}

const fileOf = (rig: Rig, name: string) => join(rig.folder, 'state/labels', `${name}.pdf`);
const unprinted = async (rig: Rig) =>
  (await rig.run('label --unprinted -q')).stdout.split('\n').filter(Boolean);

test.each([
  ['label --unprinted --print', ['A']],
  ['papers A B C --print --only slip', ['A-slip']],
  ['batch label keys.csv --print --concurrency 1', ['A']],
])(
  'Ctrl-C while `%s` prints stops before the next one, and a later run prints the others',
  async (argv, one) => {
    const rig = await shop('A B C', { files: { 'keys.csv': 'key\nA\nB\nC\n' } });
    await rig.run('label A B C');
    const ran = await rig.run(`${argv} --json`, { onProgram: (_, { interrupt }) => interrupt('SIGINT') });
    expect(ran.programs).toEqual(one.map(name => ['lp', fileOf(rig, name)]));
    expect(errorOf(ran)).toMatchObject({ code: 'interrupted', exitCode: 130, retry: 'same' });
    expect(errorOf(ran).message).toMatch(/^stopped by SIGINT; /);
    const rest = (await rig.run(argv)).programs.map(([, path]) => path);
    expect(rest).toEqual(expect.arrayContaining(['B', 'C'].map(key => expect.stringContaining(`/${key}`))));
  },
);

test('a label that the merged file lacks, because it is no PDF, was not printed', async () => {
  const zpl = Buffer.from('^XA^FDone^FS^XZ\n'.repeat(500));
  const { rig } = await labelledBy({ 'S-1': PDF, 'S-2': zpl });
  expect((await rig.run('label --key K1 K2 --merge today.pdf')).exitCode).toBe(9);
  const left: { key: string }[] = await rig.json('history list --unprinted');
  expect(left.map(({ key }) => key)).toEqual(['K2']);
});

test('two orders that are one shipment have one label in a merged file', async () => {
  const { rig } = await numberedService({ sameId: '7' });
  for (const key of ['A', 'B']) await ship(rig, key);
  expect((await rig.run('history resolve B --same-as A --yes')).exitCode).toBe(0);
  const ran = await rig.run('label A B --merge today.pdf --print');
  expect(ran).toMatchObject({ exitCode: 0, programs: [['lp', join(rig.folder, 'today.pdf')]] });
  expect(ran.stderr).toContain('(1 label)');
  expect(await unprinted(rig)).toEqual([]);
  const again = await rig.run('label A B --merge again.pdf --print --reprint');
  expect(again).toMatchObject({ exitCode: 0, programs: [['lp', join(rig.folder, 'again.pdf')]] });
});

const PAIRS = { one: 'ship-dual -f pair.json --key P', batch: 'batch ship-dual pair.jsonl' };

/** A rig with the files of these commands. `turn`: switches the fault on and off. */
async function pairs(fault = '500') {
  const { faults, random, turn } = switchable(fault);
  const rig = await createRig({ faults, random });
  rig.file('pair.json', DUAL);
  rig.file('pair.jsonl', `${JSON.stringify({ key: 'P', ...DUAL })}\n`);
  return { rig, turn };
}

test.each(Object.entries(PAIRS))(
  'the label of a pair that was made once more is the one that is printed (%s)',
  async (_, command) => {
    const { rig } = await pairs();
    expect((await rig.run(`${command} --label --print`)).programs).toHaveLength(1);
    const made = JSON.parse((await rig.run('label P --allow-duplicate --json')).stdout);
    const ran = await rig.run(`${command} --label --print --json`);
    expect([ran.exitCode, posted(ran), ran.programs.length], ran.stderr).toEqual([0, [], 1]);
    const printed = readFileSync(ran.programs[0]?.[1] ?? '');
    await rig.run('label P --download newest');
    expect(printed.equals(readFileSync(join(rig.folder, 'newest/P.pdf')))).toBe(true);
    expect(await unprinted(rig)).toEqual([]);
    expect((await rig.run(`${command} --label --print`)).programs).toEqual([]);
    const [row] = await rig.json('history list');
    const numbers = [made.international.trackingNumber, made.domestic.trackingNumber];
    expect(row.trackingNumbers).toEqual(numbers);
    if (command === PAIRS.one)
      expect(JSON.parse(ran.stdout)).toMatchObject({
        international: { shipment: {}, label: { trackingNumber: numbers[0] } },
      });
  },
);

test.each(Object.entries(PAIRS))(
  'labels of a pair that were made after it are saved, merged and printed with it (%s)',
  async (_, command) => {
    const { rig, turn } = await pairs('label-international');
    turn('on');
    const first = await rig.run(`${command} --label --print --json`);
    expect([first.exitCode, first.programs]).toEqual([9, []]);
    turn('off');
    expect((await rig.run('label P')).exitCode).toBe(0);
    const ran = await rig.run(`${command} --label --print --merge all.pdf --download labels`);
    expect([ran.exitCode, posted(ran), ran.programs], ran.stderr).toEqual([
      0,
      [],
      [['lp', join(rig.folder, 'all.pdf')]],
    ]);
    expect(existsSync(join(rig.folder, 'labels/P.pdf'))).toBe(true);
  },
);

test.each(Object.entries(PAIRS))(
  'the labels that a pair has stay its labels while nobody knows whether another one was made (%s)',
  async (_, command) => {
    const { rig, turn } = await pairs('reset-after');
    await rig.run(`${command} --label --print`);
    turn('on');
    expect((await rig.run('label P --allow-duplicate')).exitCode).toBe(8);
    turn('off');
    const ran = await rig.run(`${command} --label --print`);
    expect([ran.exitCode, posted(ran), ran.programs], ran.stderr).toEqual([0, [], []]);
    expect(ran.stderr).toContain('was printed before, and is not printed again');
    expect(await rig.json('history list --state unknown')).toMatchObject([{ operation: 'label' }]);
  },
);

test('label --unprinted says of one that a person resolved, without a file, that there is nothing to print', async () => {
  const { turn, ...fault } = switchable('reset-after');
  const rig = await shop('A B', fault);
  turn('on');
  await rig.run('label A');
  turn('off');
  const [{ id }] = await rig.json('history list --state unknown');
  const [shipment] = (await rig.json('history show A')).shipmentIds;
  await rig.run(`history resolve ${id} --created ${shipment}`);
  const named = await rig.run('label --unprinted');
  expect([named.exitCode, named.stderr]).toEqual([0, expect.stringContaining('no label to print of A: ')]);
  expect(named.stderr).not.toContain('--unprinted --print');
  expect(await rig.run('label --unprinted --print')).toMatchObject({ exitCode: 9, programs: [] });
  await rig.run('label B');
  const both = await rig.run('label --unprinted');
  expect(both.stderr).toMatch(
    /^1 order has a label .*\nno label to print of A: .*ask the service for its file/,
  );
});

test('a label of an order that was cancelled since gets into no merged file', async () => {
  const rig = await shop('A B');
  await rig.run('label A B');
  await rig.run('history cancelled A --reason gone');
  const both = await rig.run('label A B --merge both.pdf --print --reprint');
  expect([both.exitCode, posted(both)]).toEqual([9, []]);
  expect(both.stderr).toContain('then cancelled by the provider');
  expect(both.stderr).toContain('(1 label)');
});
