// Options that a profile gives: a daily command is short, a flag beats one, and --no-… leaves it out.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linesIn, order } from '../rig/batch.ts';
import type { Rig } from '../rig/command.ts';
import { sizesIn } from '../rig/labels.ts';
import { savedIn, shopRig } from '../rig/profile.ts';
import { DUAL, posted, SHIPMENT, UNDECIDED } from '../rig/service.ts';

async function shop(...settings: string[]): Promise<Rig> {
  const rig = await shopRig();
  const ran = await rig.run(['profile', 'set', 'shop', ...settings]);
  expect(ran.exitCode).toBe(0);
  return rig;
}

const ship = (rig: Rig, flags: string, body: unknown = UNDECIDED) =>
  rig.run(`ship -f - ${flags}`, { stdin: JSON.stringify(body) });

const orders = (...keys: string[]) =>
  keys.map(key => {
    const { carrier: _, chargeableWeight: __, ...open } = order(key);
    return open;
  });

describe('a single command', () => {
  test('takes carrier, bounds and label of the profile, and says so in one note', async () => {
    const rig = await shop('carrier=cheapest', 'maxPrice=900EUR', 'maxDays=99', 'label=yes');
    const ran = await ship(rig, '--key A');
    expect(ran.exitCode).toBe(0);
    expect(posted(ran)).toEqual([
      'POST /v1/carriers/proposal',
      'POST /v1/shipments',
      'POST /v2/carriers/create',
    ]);
    expect(ran.stderr).toContain(
      'the profile shop gives --carrier cheapest --max-price 900EUR --max-days 99 --label; a flag beats one, and --no-carrier and the like leave one out\n',
    );
  });

  test('goes by its flags and by the request, which beat the profile', async () => {
    const rig = await shop('carrier=cheapest', 'maxPrice=1EUR', 'label=yes');
    for (const [flags, body, id] of [
      ['--carrier EXP', UNDECIDED, 'EXP'],
      ['--set carrier.id=DHL', UNDECIDED, 'DHL'],
      ['', SHIPMENT, 'EXP'],
    ] as const) {
      const ran = await ship(rig, `${flags} --no-max-price --no-label --dry-run --json`, body);
      expect(JSON.parse(ran.stdout).body.carrier).toEqual({ id });
      expect(ran.stderr).not.toContain('the profile');
    }
    const bound = await ship(rig, '--no-label --key B');
    expect([bound.exitCode, bound.stderr.includes('1 EUR')]).toEqual([4, true]);
    const none = await ship(rig, '--no-carrier --no-label');
    expect(none.exitCode).toBe(2);
    expect(none.stderr).toContain('carrier');
  });
});

test('the same order is known under a profile that changed since', async () => {
  const rig = await shop('carrier=cheapest');
  await ship(rig, '--key A');
  await rig.run('profile set shop carrier=fastest maxPrice=1EUR');
  expect(await ship(rig, '--key A')).toMatchObject({ exitCode: 0, requests: [] });
});

test.each([
  ['', true],
  ['--no-label', undefined],
])('a pair has the label of the profile (with %j: %j)', async (flag, label) => {
  const rig = await shop('label=yes');
  const { body } = await rig.json(`ship-dual -f - ${flag} --dry-run`, { stdin: JSON.stringify(DUAL) });
  expect(body.label).toBe(label);
});

describe('a batch', () => {
  test('takes all of them, says so once, and a record beats them', async () => {
    const rig = await shop('carrier=cheapest', 'maxPrice=900EUR', 'label=yes');
    rig.file('orders.json', [
      ...orders('A'),
      { ...orders('B')[0], carrier: 'EXP', label: 'no', maxPrice: '800EUR' },
    ]);
    const ran = await rig.run('batch ship orders.json --merge today.pdf');
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr.match(/the profile shop gives/g)).toHaveLength(1);
    expect(ran.stderr).not.toContain('maxPrice');
    expect(linesIn(rig).map(({ key, carrier, labelFile }) => [key, carrier, labelFile !== null])).toEqual(
      expect.arrayContaining([
        ['A', 'EXP', true],
        ['B', 'EXP', false],
      ]),
    );
    expect(await sizesIn(join(rig.folder, 'today.pdf'))).toHaveLength(1);
  });

  test('knows an unchanged record again, whether the flag or the profile says it', async () => {
    const rig = await shop('carrier=EXP', 'maxPrice=900EUR');
    rig.file('orders.json', orders('A', 'B'));
    await rig.run('batch ship orders.json --carrier EXP --max-price 900EUR');
    expect(await rig.run('batch ship orders.json')).toMatchObject({ exitCode: 0, requests: [] });
  });

  test('makes the labels of what was booked before, once the profile wants them', async () => {
    const rig = await shop('carrier=EXP', 'maxPrice=900EUR');
    rig.file('orders.json', orders('A', 'B'));
    await rig.run('batch ship orders.json');
    await rig.run('profile set shop label=yes');
    const labelled = await rig.run('batch ship orders.json');
    expect(posted(labelled)).toEqual(['POST /v2/carriers/create', 'POST /v2/carriers/create']);
    const without = await rig.run('batch ship orders.json --no-label --no-carrier --no-max-price');
    expect(posted(without)).toEqual([]);
  });

  test('reads the map of the profile from any folder', async () => {
    const rig = await shop('carrier=EXP');
    rig.file('maps/shop.json', { columns: { Name: 'key' } });
    await rig.run('profile set shop map=maps/shop.json');
    expect(savedIn(rig).profiles.shop.map).toBe(join(rig.folder, 'maps/shop.json'));
    rig.file(
      'orders.json',
      orders('A').map(({ key, ...rest }) => ({ Name: key, ...rest })),
    );
    expect((await rig.run('batch ship orders.json')).exitCode).toBe(0);
    expect((await rig.run('batch ship orders.json --no-map')).exitCode).toBe(2);
  });
});

test('--merge is no setting: each run names its own file, which would replace that of the day', async () => {
  const rig = await shop('carrier=EXP');
  expect((await rig.run('profile set shop merge=today.pdf')).exitCode).toBe(2);
});

test('whoami and profile show name them', async () => {
  const rig = await shop('carrier=cheapest', 'maxPrice=60EUR', 'map=shopify', 'label=yes', 'currency=EUR');
  const { defaults } = await rig.json('profile whoami');
  const all = { carrier: 'cheapest', maxPrice: '60EUR', map: 'shopify', label: true, currency: 'EUR' };
  expect(defaults).toEqual(all);
  expect(await rig.json('profile show shop')).toMatchObject(all);
  expect((await rig.run('profile set shop label=no carrier=')).exitCode).toBe(0);
  expect((await rig.json('profile whoami')).defaults).not.toHaveProperty('carrier');
});

test.each([
  ['maxPrice=60', 'maxPrice must be an amount above 0 with a currency such as 60EUR'],
  ['maxPrice=60EURO', 'maxPrice must be'],
  ['maxPrice=0.00EUR', 'maxPrice must be an amount above 0'],
  ['maxDays=soon', 'maxDays must be a whole number'],
  ['label=maybe', 'label must be yes or no'],
])('profile set refuses what the flag would refuse (%s)', async (setting, why) => {
  const ran = await (await shopRig()).run(['profile', 'set', 'shop', setting]);
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toContain(why);
});
