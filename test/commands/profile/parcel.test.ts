import { describe, expect, test } from 'vitest';
import { jsonLines, order } from '../../rig/batch.ts';
import { createRig, type Rig } from '../../rig/command.ts';
import { BARE, shopRig } from '../../rig/profile.ts';
import { bodyOf, errorOf, SHIPMENT } from '../../rig/service.ts';

const shop = () => shopRig({ parcels: { small: '2x1kg@30x20x10cm', big: '9@60x50x40' } });

const QUOTE = 'quote --from TR --to DE --dry-run --json';

describe('profile parcel add', () => {
  test('needs a profile to save it in, which may be the demo', async () => {
    const rig = await createRig({ env: BARE });
    const add = 'profile parcel add small 1@1x1x1';
    expect((await rig.run(add)).stderr).toContain('parcels are saved in a profile');
    expect((await rig.run(`${add} --profile demo`)).exitCode).toBe(0);
    const quote = await rig.run(`${QUOTE} --package @small --profile demo`);
    expect(JSON.parse(quote.stdout)).toMatchObject({ body: { packages: [{ weight: 1 }] } });
  });
});

describe('--package @NAME', () => {
  const small = { weight: 1, dimensions: { length: 30, width: 20, height: 10 } };

  test.each([
    ['--package 3x@small', [{ quantity: 6, ...small }]],
    [
      '--package 1@1x2x3 --package 4X@small',
      [
        { quantity: 1, weight: 1, dimensions: { length: 1, width: 2, height: 3 } },
        { quantity: 8, ...small },
      ],
    ],
  ])('has its pieces multiplied: %s', async (flags, packages) => {
    const { stdout } = await (await shop()).run(`${QUOTE} ${flags}`);
    expect(JSON.parse(stdout).body.packages).toEqual(packages);
  });

  test('is the same request as its SPEC, until the saved parcel changes', async () => {
    const rig = await shop();
    const stdin = JSON.stringify(SHIPMENT);
    const ship = (spec: string) => rig.run(`ship -f - --key A --package ${spec} -q`, { stdin });
    const first = await ship('@small');
    expect(first.exitCode).toBe(0);
    expect(bodyOf(first)).toMatchObject({ packages: [{ quantity: 2, dimensions: { unit: 'cm' } }] });
    for (const spec of ['@small', '2x1kg@30x20x10cm', '1x@small'])
      expect(await ship(spec)).toMatchObject({ exitCode: 0, stdout: first.stdout, requests: [] });
    await rig.run('profile parcel add small 3x1kg@30x20x10cm');
    expect(await ship('@small')).toMatchObject({ exitCode: 2, requests: [] });
  });
});

describe('A batch', () => {
  const { packages: _, ...loose } = order('A');
  const batch = async (rig: Rig, argv: string, name: string, content: string) => {
    rig.file(name, content);
    return rig.run(`batch ${argv}`);
  };

  test('accepts @NAME as a flag, and in the package column of CSV and JSON', async () => {
    const rig = await shop();
    const flag = await batch(rig, 'ship flag.jsonl --package 2x@small', 'flag.jsonl', jsonLines([loose]));
    expect(bodyOf(flag)).toMatchObject({ packages: [{ quantity: 4, weight: 1 }] });
    const lines = jsonLines([{ ...loose, key: 'B', package: ['@small', '3x@big'] }]);
    const column = await batch(rig, 'ship column.jsonl', 'column.jsonl', lines);
    expect(bodyOf(column)).toMatchObject({ packages: [{ quantity: 2 }, { quantity: 3, weight: 9 }] });
    const table = 'originCountry,destinationCountry,package\nTR,DE,@small\n';
    const csv = await batch(rig, 'quote quotes.csv', 'quotes.csv', table);
    expect(bodyOf(csv)).toMatchObject({ packages: [{ quantity: 2, weight: 1 }] });
  });

  test('names the record whose @NAME is not saved, and sends nothing', async () => {
    const table = 'originCountry,destinationCountry,package\nTR,DE,@small\nTR,DE,@smal\n';
    const ran = await batch(await shop(), 'quote quotes.csv --json', 'quotes.csv', table);
    expect(ran).toMatchObject({ exitCode: 2, requests: [] });
    const message = expect.stringContaining('no parcel "smal" (did you mean small?)');
    expect(errorOf(ran).issues).toContainEqual({ path: 'line 3: package', message });
  });
});
