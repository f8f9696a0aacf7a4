// The IOSS number and the marketplace number of a profile, a map or a batch go only on orders for which they hold: on any other
// one they are a false declaration. What one order says of it is in test/promises/customs.test.ts.
import { expect, test } from 'vitest';
import { changed } from '../contract/rig.ts';
import { jsonLines, linesIn, summaryOf } from '../rig/batch.ts';
import type { Ran } from '../rig/command.ts';
import { shopRig } from '../rig/profile.ts';
import { SHIPMENT, UNDECIDED } from '../rig/service.ts';

const IOSS = 'IM0123456789';
const UK = 'GB123456789';
const BOTH = { iossNumber: IOSS, marketplaceNumber: UK };
const NONE = [undefined, undefined];

/** An order of one piece of that value, under that key. */
const orderOf = (key: string, country = 'DE', zip = '10115', value = 25, more: object = {}) => ({
  key,
  ...(changed(UNDECIDED, {
    'receiver.address.country.code': country,
    'receiver.address.zipCode': zip,
    items: [
      {
        ...(SHIPMENT.items as object[])[0],
        ...{ description: `Goods ${key}`, quantity: 1, unitPrice: value, totalPrice: value },
      },
    ],
    customs: {
      totalGoodsValue: value,
      currency: country === 'GB' && !/^bt/i.test(zip) ? 'GBP' : 'EUR',
      ...more,
    },
  }) as object),
});

/** The numbers of each order that was sent, by what its goods are called. */
const sentBy = ({ requests }: Ran) =>
  Object.fromEntries(
    requests
      .filter(({ path }) => path === '/v1/shipments')
      .map(({ body }) => JSON.parse(body))
      .map(({ items, customs }) => [
        items[0].description.slice('Goods '.length),
        [customs.iossNumber, customs.marketplaceNumber],
      ]),
  );

const PLACES: [place: string, country: string, zip: string, numbers: (string | undefined)[]][] = [
  ['Northern Ireland in small letters', 'GB', 'bt1 5gs', [IOSS, undefined]],
  ['Jersey', 'GB', 'JE2 3AB', NONE],
  ['Majorca', 'ES', '07001', [IOSS, undefined]],
  ['Tenerife', 'ES', '38001', NONE],
  ['Helsinki', 'FI', '00100', [IOSS, undefined]],
  ['Åland by its own code', 'AX', '22100', NONE],
  ['Heligoland with the letter of its country', 'DE', 'D-27498', NONE],
  ['Büsingen', 'DE', '78266', NONE],
  ['Martinique by its own code', 'MQ', '97200', NONE],
  ['Monaco', 'MC', '98000', [IOSS, undefined]],
];

test('numbers of a profile go to the territories of the VAT for which they hold', async () => {
  const rig = await shopRig(BOTH);
  rig.file('orders.jsonl', jsonLines(PLACES.map(([place, country, zip]) => orderOf(place, country, zip))));
  const ran = await rig.run('batch ship orders.jsonl --carrier EXP');
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(sentBy(ran)).toEqual(Object.fromEntries(PLACES.map(([place, , , numbers]) => [place, numbers])));
});

const RECORDS = [
  orderOf('EU'),
  orderOf('DEAR', 'DE', '10115', 400),
  orderOf('UK', 'GB', 'SW1A 1AA', 30),
  orderOf('OWN', 'DE', '10115', 300, { iossNumber: IOSS }),
];
const EXPECTED = {
  ...{ EU: [IOSS, undefined], DEAR: NONE, UK: [undefined, UK] },
  // A number of its own is a number of the order.
  OWN: [IOSS, undefined],
};

test.each([
  ['a profile', BOTH, ''],
  ['flags', {}, `--ioss-number ${IOSS} --set customs.marketplaceNumber=${UK}`],
  ['constants of a map', {}, '--map ./shop.json'],
])(
  'numbers of %s go where they hold; what is left out is told once, with who takes another carrier',
  async (_, settings, flags) => {
    const rig = await shopRig({ ...settings, economyCarriers: ['ECO'] });
    rig.file('orders.jsonl', jsonLines(RECORDS));
    const constants = { 'customs.iossNumber': IOSS, 'customs.marketplaceNumber': UK };
    rig.file('shop.json', { columns: {}, constants });
    const command = `batch ship orders.jsonl --carrier cheapest ${flags}`;
    const ran = await rig.run(command);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(sentBy(ran)).toEqual(EXPECTED);
    const carriers = linesIn(rig).map(({ key, carrier }) => `${key} ${carrier}`);
    expect(carriers.sort()).toEqual(['DEAR EXP', 'EU ECO', 'OWN ECO', 'UK ECO']);
    expect(ran.stderr.match(/are left out where they do not hold/g)).toHaveLength(1);
    expect(ran.stderr).toContain('customs.iossNumber: goods above the limit (1)');
    expect(ran.stderr).toContain('The economy carrier does not take 1 of them without one');
    expect(ran.stderr).toContain('warning: line 4, OWN: customs.iossNumber does not belong to this order');
    // Run again, each is the order that it was.
    expect(summaryOf(await rig.run(`${command} --json`))).toMatchObject({ already: 4, sent: 0 });
  },
);

test("a marketplace's orders take none of the profile, and a company's none at all", async () => {
  const rig = await shopRig(BOTH);
  rig.file(
    'orders.jsonl',
    jsonLines([
      { ...orderOf('EU'), of: 'shop' },
      { ...orderOf('B2B'), of: 'company' },
    ]),
  );
  const map = { columns: { of: '_of' }, business: { of: ['company'] } };
  const sold = async (more: object) => {
    rig.file('map.json', { ...map, ...more });
    return rig.run('batch ship orders.jsonl --map ./map.json --carrier EXP');
  };
  expect(sentBy(await sold({}))).toEqual({ EU: [IOSS, undefined], B2B: NONE });
  const market = await sold({ marketplace: true, keyPrefix: 'm-' });
  expect(sentBy(market)).toEqual({ EU: NONE, B2B: NONE });
  expect(market.stderr).toContain('customs.iossNumber: sold by a marketplace (1)');
  expect(market.stderr).toContain('customs.iossNumber: bought by a company (1)');
  const constants = { 'customs.iossNumber': 'IM9999999999' };
  const own = await sold({ marketplace: true, keyPrefix: 'n-', constants });
  expect(sentBy(own)).toEqual({ EU: ['IM9999999999', undefined], B2B: NONE });
});
