// Options that a profile gives to a batch: it takes them once, a record beats them, and a record that was booked is known again.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linesIn, order } from '../rig/batch.ts';
import type { Rig } from '../rig/command.ts';
import { sizesIn } from '../rig/labels.ts';
import { savedIn, shopRig } from '../rig/profile.ts';

async function shop(...settings: string[]): Promise<Rig> {
  const rig = await shopRig();
  const ran = await rig.run(['profile', 'set', 'shop', ...settings]);
  expect(ran.exitCode).toBe(0);
  return rig;
}

const orders = (...keys: string[]) =>
  keys.map(key => {
    const { carrier: _, chargeableWeight: __, ...open } = order(key);
    return open;
  });

test('a batch takes all options of the profile, says so once, and a record beats them', async () => {
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

test('a batch knows an unchanged record again, whether the flag or the profile says its options', async () => {
  const rig = await shop('carrier=EXP', 'maxPrice=900EUR');
  rig.file('orders.json', orders('A', 'B'));
  await rig.run('batch ship orders.json --carrier EXP --max-price 900EUR');
  expect(await rig.run('batch ship orders.json')).toMatchObject({ exitCode: 0, requests: [] });
});

test('a batch reads the map of the profile from any folder', async () => {
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
