import { describe, expect, test } from 'vitest';
import { jsonLines, order } from '../../rig/batch.ts';
import { createRig, type Rig } from '../../rig/command.ts';
import { BARE, savedIn } from '../../rig/profile.ts';
import { bodyOf, errorOf, SHIPMENT } from '../../rig/service.ts';

async function shop(parcels: Record<string, string> = { small: '2x1kg@30x20x10cm', big: '9@60x50x40' }) {
  const rig = await createRig({ env: BARE });
  await rig.run(`profile add live --base-url ${rig.address} --token-stdin`, { stdin: 'demo' });
  for (const [name, spec] of Object.entries(parcels)) await kept(rig, name, spec);
  return rig;
}

async function kept(rig: Rig, name: string, spec: string) {
  const ran = await rig.run(['profile', 'parcel', 'add', name, spec]);
  expect(ran).toMatchObject({ exitCode: 0, stdout: '' });
  return ran;
}

const QUOTE = 'quote --from TR --to DE --dry-run --json';

describe('profile parcel', () => {
  test('is added, replaced, listed, shown and removed', async () => {
    const rig = await shop({});
    expect((await rig.run('profile parcel list')).stdout).toBe('No parcels are saved.\n');
    expect((await kept(rig, 'small', '1kg@1x1x1')).stderr).toContain('--package @small');
    await kept(rig, 'small', ' 2 x 1kg@30x20x10cm ');
    expect(savedIn(rig).profiles.live.parcels).toEqual({ small: '2 x 1kg@30x20x10cm' });
    const small = { name: 'small', package: '2 x 1kg@30x20x10cm' };
    expect(JSON.parse((await rig.run('profile parcel list --json')).stdout)).toEqual([small]);
    expect((await rig.run('profile parcel list -q')).stdout).toBe('small\n');
    expect(JSON.parse((await rig.run('profile parcel show small --json')).stdout)).toEqual(small);
    expect((await rig.run('profile parcel show small')).stdout).toBe('2 x 1kg@30x20x10cm\n');
    expect((await rig.run('profile show')).stdout).toContain('2 x 1kg@30x20x10cm');
    expect((await rig.run('profile parcel remove small')).exitCode).toBe(0);
    expect(savedIn(rig).profiles.live.parcels).toEqual({});
    for (const what of ['show', 'remove']) {
      const ran = await rig.run(`profile parcel ${what} small --json`);
      expect(errorOf(ran)).toMatchObject({ code: 'usage' });
      expect(errorOf(ran).message).toContain('it has none. Add one: `waybill profile parcel add');
    }
  });

  test.each([
    ['what is no SPEC', ['small', '1kg'], 'SPEC "1kg" is not of the form'],
    ['another parcel', ['small', '@big'], 'SPEC "@big" is not of the form'],
    ['a name that is none', ['a b', '1@1x1x1'], '"a b" is not a name for a parcel'],
    ['a name that is a trap', ['__proto__', '1@1x1x1'], '"__proto__" is not a name for a parcel'],
  ])('refuses %s, and saves nothing', async (_, argv, says) => {
    const rig = await shop();
    const before = savedIn(rig);
    const ran = await rig.run(['profile', 'parcel', 'add', ...argv, '--json']);
    expect([ran.exitCode, savedIn(rig)]).toEqual([2, before]);
    expect(errorOf(ran).message).toContain(says);
  });

  test('needs a profile to be saved in, which may be the demo', async () => {
    const rig = await createRig({ env: BARE });
    const add = ['profile', 'parcel', 'add', 'small', '1@1x1x1'];
    expect((await rig.run(add)).stderr).toContain('parcels are saved in a profile');
    expect((await rig.run([...add, '--profile', 'demo'])).exitCode).toBe(0);
    const { exitCode, stdout } = await rig.run(`${QUOTE} --package @small --profile demo`);
    expect([exitCode, JSON.parse(stdout).body.packages[0].weight]).toEqual([0, 1]);
  });
});

describe('--package @NAME', () => {
  const small = { weight: 1, dimensions: { length: 30, width: 20, height: 10 } };
  const packagesOf = async (rig: Rig, flags: string) =>
    JSON.parse((await rig.run(`${QUOTE} ${flags}`)).stdout).body.packages;

  test('is the saved parcel, its pieces multiplied', async () => {
    const rig = await shop();
    expect(await packagesOf(rig, '--package @small')).toEqual([{ quantity: 2, ...small }]);
    expect(await packagesOf(rig, '--package 3x@small')).toEqual([{ quantity: 6, ...small }]);
    expect(await packagesOf(rig, '--package 1@1x2x3 --package 4X@small')).toEqual([
      { quantity: 1, weight: 1, dimensions: { length: 1, width: 2, height: 3 } },
      { quantity: 8, ...small },
    ]);
  });

  test('takes the shape of each operation', async () => {
    const rig = await shop();
    const rates = await rig.run('rates --from TR --to DE --package @small --dry-run --json');
    expect(JSON.parse(rates.stdout).body.data.packages).toEqual([
      { height: 10, width: 20, lengthCm: 30, piece: 2, pieceWeight: 1 },
    ]);
    const ship = await rig.run('ship -f - --package @small', { stdin: JSON.stringify(SHIPMENT) });
    expect(bodyOf(ship)).toMatchObject({ packages: [{ quantity: 2, dimensions: { unit: 'cm' } }] });
  });

  test.each(['@smal', '3x@smal', '@__proto__', '@constructor'])(
    'that is not kept is refused, naming those that are (%s)',
    async spec => {
      const rig = await shop();
      const ran = await rig.run(`quote --from TR --to DE --package ${spec} --json`);
      expect(ran.requests).toEqual([]);
      const { code, message } = errorOf(ran);
      expect(code).toBe('usage');
      expect(message).toContain(`--package ${spec}: the profile live has no parcel`);
      expect(message).toContain('it has small, big; nothing was sent. Add one: `waybill profile parcel add');
      expect(message.includes('did you mean small?')).toBe(spec.includes('smal'));
    },
  );

  test('is the same request as its SPEC, until the saved parcel changes', async () => {
    const rig = await shop();
    const stdin = JSON.stringify(SHIPMENT);
    const ship = (spec: string) => rig.run(`ship -f - --key A --package ${spec} -q`, { stdin });
    const first = await ship('@small');
    expect([first.exitCode, first.requests.length]).toEqual([0, 1]);
    for (const spec of ['@small', '2x1kg@30x20x10cm', '1x@small'])
      expect(await ship(spec)).toMatchObject({ exitCode: 0, stdout: first.stdout, requests: [] });
    await kept(rig, 'small', '3x1kg@30x20x10cm');
    const other = await ship('@small');
    expect(other).toMatchObject({ exitCode: 2, requests: [] });
    expect(other.stderr).toContain('A');
  });
});

describe('A batch', () => {
  const { packages: _, ...loose } = order('A');

  test('accepts @NAME as a flag, and in the package column of CSV and JSON', async () => {
    const rig = await shop();
    rig.file('flag.jsonl', jsonLines([loose]));
    const flag = await rig.run('batch ship flag.jsonl --package 2x@small');
    expect(bodyOf(flag)).toMatchObject({ packages: [{ quantity: 4, weight: 1 }] });
    rig.file('column.jsonl', jsonLines([{ ...loose, key: 'B', package: ['@small', '3x@big'] }]));
    const column = await rig.run('batch ship column.jsonl');
    expect(bodyOf(column)).toMatchObject({ packages: [{ quantity: 2 }, { quantity: 3, weight: 9 }] });
    rig.file('quotes.csv', 'originCountry,destinationCountry,package\nTR,DE,@small\n');
    const csv = await rig.run('batch quote quotes.csv');
    expect(bodyOf(csv)).toMatchObject({ packages: [{ quantity: 2, weight: 1 }] });
  });

  test('names the record whose @NAME is not saved, and sends nothing', async () => {
    const rig = await shop();
    rig.file('quotes.csv', 'originCountry,destinationCountry,package\nTR,DE,@small\nTR,DE,@smal\n');
    const ran = await rig.run('batch quote quotes.csv --json');
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    expect(errorOf(ran).issues).toContainEqual({
      path: 'line 3: package',
      message: expect.stringMatching(
        /^@smal: the profile live has no parcel "smal" \(did you mean small\?\)/,
      ),
    });
  });
});
