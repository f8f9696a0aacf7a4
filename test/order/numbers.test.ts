// The IOSS number and the marketplace number of a profile, a map or a batch go only on orders for which they hold: on any other
// one they are a false declaration.
import { describe, expect, test } from 'vitest';
import { getAt, setAt } from '../../src/contract/paths.ts';
import { jsonLines, linesIn, summaryOf } from '../rig/batch.ts';
import type { Rig } from '../rig/command.ts';
import { shopRig } from '../rig/profile.ts';
import { bodyOf, errorOf, posted, SHIPMENT, UNDECIDED } from '../rig/service.ts';

const IOSS = 'IM0123456789';
const UK = 'GB123456789';
const BOTH = { iossNumber: IOSS, marketplaceNumber: UK };

interface Change {
  country?: string;
  zip?: string;
  value?: number;
  currency?: string;
  customs?: object;
}

/** An order of one piece of that value. */
function orderOf({ country = 'DE', zip = '10115', value = 25, currency = 'EUR', customs = {} }: Change = {}) {
  const to = setAt(UNDECIDED, ['receiver', 'address', 'country', 'code'], country);
  const [item] = SHIPMENT.items as object[];
  const changes: [string[], unknown][] = [
    [['receiver', 'address', 'zipCode'], zip],
    [['items'], [{ ...item, quantity: 1, unitPrice: value, totalPrice: value }]],
    [['customs'], { totalGoodsValue: value, currency, ...customs }],
  ];
  return changes.reduce<unknown>((body, [path, value]) => setAt(body, path, value), to) as object;
}

async function ship(rig: Rig, change: Change, flags = '') {
  const ran = await rig.run(`ship -f - --carrier EXP --chargeable-weight 1 --dry-run ${flags}`, {
    stdin: JSON.stringify(orderOf(change)),
  });
  expect(ran.exitCode, ran.stderr).toBe(0);
  const { iossNumber, marketplaceNumber } = JSON.parse(ran.stdout).body.customs;
  return { numbers: [iossNumber, marketplaceNumber], stderr: ran.stderr };
}

describe('Numbers of a profile', () => {
  test.each<[string, Change, (string | undefined)[]]>([
    ['a parcel to the EU gets the IOSS number', {}, [IOSS, undefined]],
    ['at its limit, too', { value: 150 }, [IOSS, undefined]],
    ['not above it', { value: 150.01 }, [undefined, undefined]],
    [
      'one to Great Britain gets the other',
      { country: 'GB', zip: 'SW1A 1AA', value: 135, currency: 'GBP' },
      [undefined, UK],
    ],
    [
      'not above its limit',
      { country: 'GB', zip: 'M1 1AE', value: 135.01, currency: 'GBP' },
      [undefined, undefined],
    ],
    ['Northern Ireland counts as the EU', { country: 'GB', zip: 'bt1 5gs' }, [IOSS, undefined]],
    [
      'Jersey is outside of Great Britain',
      { country: 'GB', zip: 'JE2 3AB', currency: 'GBP' },
      [undefined, undefined],
    ],
    ['other countries get none', { country: 'US', zip: '10001', currency: 'USD' }, [undefined, undefined]],
    ['nor does Switzerland', { country: 'CH', zip: '8001', currency: 'CHF' }, [undefined, undefined]],
    ['the Canaries are outside', { country: 'ES', zip: '35001' }, [undefined, undefined]],
    ['Tenerife is', { country: 'ES', zip: '38001' }, [undefined, undefined]],
    ['Ceuta is', { country: 'ES', zip: '51001' }, [undefined, undefined]],
    ['Melilla is', { country: 'ES', zip: '52001' }, [undefined, undefined]],
    ['Majorca is inside', { country: 'ES', zip: '07001' }, [IOSS, undefined]],
    ['Åland is outside', { country: 'FI', zip: '22100' }, [undefined, undefined]],
    ['Åland is by its own code, too', { country: 'AX', zip: '22100' }, [undefined, undefined]],
    ['Helsinki is inside', { country: 'FI', zip: '00100' }, [IOSS, undefined]],
    ['Heligoland is outside', { country: 'DE', zip: 'D-27498' }, [undefined, undefined]],
    ['Büsingen is', { country: 'DE', zip: '78266' }, [undefined, undefined]],
    ['Livigno is', { country: 'IT', zip: '23041' }, [undefined, undefined]],
    ['Réunion is', { country: 'FR', zip: '97400' }, [undefined, undefined]],
    ['Martinique is by its own code, too', { country: 'MQ', zip: '97200' }, [undefined, undefined]],
    ['Monaco is inside', { country: 'MC', zip: '98000' }, [IOSS, undefined]],
  ])('%s', async (_, change, numbers) => {
    expect((await ship(await shopRig(BOTH), change)).numbers).toEqual(numbers);
  });

  test('need their limit in the currency of the order: without one nothing is sent, and the setting is named', async () => {
    const rig = await shopRig(BOTH);
    const stdin = JSON.stringify(orderOf({ currency: 'USD' }));
    const flags = '--carrier EXP --chargeable-weight 1';
    const refused = await rig.run(`ship -f - ${flags} --json`, { stdin });
    expect(errorOf(refused)).toMatchObject({ exitCode: 2, issues: [{ path: 'customs.iossNumber' }] });
    expect(errorOf(refused).issues[0]?.message).toContain(
      '`waybill profile set shop iossLimit=150EUR,AMOUNTUSD`',
    );
    await rig.run('profile set shop iossLimit=150EUR,165USD marketplaceLimit=135GBP,170USD');
    expect((await ship(rig, { value: 165, currency: 'USD' })).numbers).toEqual([IOSS, undefined]);
    expect((await ship(rig, { value: 165.01, currency: 'USD' })).numbers).toEqual([undefined, undefined]);
    expect((await ship(rig, { value: 150.01 })).numbers).toEqual([undefined, undefined]);
    const toGb = { country: 'GB', zip: 'SW1A 1AA', currency: 'USD' };
    expect((await ship(rig, { ...toGb, value: 170 })).numbers).toEqual([undefined, UK]);
    // The currency of no default does not matter where no default applies.
    expect((await ship(rig, { country: 'US', zip: '10001', currency: 'CAD' })).numbers).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('are settings that are checked, and shown by whoami', async () => {
    const rig = await shopRig();
    for (const setting of ['iossNumber=GB1', 'iossLimit=150', 'marketplaceLimit=much'])
      expect(await rig.run(['profile', 'set', 'shop', setting])).toMatchObject({ exitCode: 2 });
    await rig.run(`profile set shop iossNumber=${IOSS} iossLimit=150EUR,165USD marketplaceNumber=${UK}`);
    expect(JSON.parse((await rig.run('profile whoami --json')).stdout).defaults).toEqual({
      ...BOTH,
      iossLimit: '150EUR,165USD',
    });
  });

  test('that are left out leave the economy carrier out: cheapest takes another one', async () => {
    const rig = await shopRig({ ...BOTH, economyCarriers: ['ECO'] });
    const booked = async (change: Change, key: string) => {
      const ran = await rig.run(`ship -f - --carrier cheapest --key ${key}`, {
        stdin: JSON.stringify(orderOf(change)),
      });
      expect(ran.exitCode, ran.stderr).toBe(0);
      return getAt(bodyOf(ran), ['carrier', 'id']);
    };
    expect(await booked({}, 'A')).toBe('ECO');
    expect(await booked({ value: 151 }, 'B')).toBe('EXP');
    expect(await booked({ country: 'ES', zip: '35001' }, 'C')).toBe('EXP');
    const named = await rig.run('ship -f - --carrier ECO --json', {
      stdin: JSON.stringify(orderOf({ value: 151 })),
    });
    expect([named.exitCode, named.requests]).toEqual([2, []]);
    expect(errorOf(named).issues[0]?.message).toContain(
      'the one that is known is left out: the goods are worth 151 EUR, and it holds for at most 150 EUR',
    );
  });
});

test.each<[Change, string]>([
  [{ value: 200 }, 'the goods are worth 200 EUR, and it holds for at most 150 EUR'],
  [{ country: 'ES', zip: '35001' }, 'it holds for goods to the VAT territory of the EU'],
  [{ country: 'CH', zip: '8001' }, 'it holds for goods to the VAT territory of the EU'],
])(
  'A number that is given for one order is sent, with a warning where it does not belong: %j',
  async (change, why) => {
    const rig = await shopRig();
    const flag = await ship(rig, change, `--ioss-number ${IOSS}`);
    const field = await ship(rig, { ...change, customs: { iossNumber: IOSS } });
    for (const { numbers, stderr } of [flag, field]) {
      expect(numbers).toEqual([IOSS, undefined]);
      expect(stderr).toContain(`warning: customs.iossNumber does not belong to this order: ${why}`);
    }
    expect((await ship(rig, {}, `--ioss-number ${IOSS}`)).stderr).not.toContain('iossNumber');
  },
);

describe('In a batch', () => {
  const records = [
    { key: 'EU', ...orderOf() },
    { key: 'DEAR', ...orderOf({ value: 400 }) },
    { key: 'UK', ...orderOf({ country: 'GB', zip: 'SW1A 1AA', value: 30, currency: 'GBP' }) },
    { key: 'OWN', ...orderOf({ value: 300, customs: { iossNumber: IOSS } }) },
  ];
  const sentBy = (ran: Awaited<ReturnType<Rig['run']>>) =>
    Object.fromEntries(
      ran.requests
        .filter(({ path }) => path === '/v1/shipments')
        .map(({ body }) => JSON.parse(body))
        .map(({ customs: { totalGoodsValue, iossNumber, marketplaceNumber } }) => [
          totalGoodsValue,
          [iossNumber, marketplaceNumber],
        ]),
    );
  const EXPECTED = {
    25: [IOSS, undefined],
    400: [undefined, undefined],
    30: [undefined, UK],
    300: [IOSS, undefined],
  };

  test('a flag and a profile go where they hold; what is left out is told once, with the orders that take another carrier', async () => {
    const ofProfile = await shopRig({ ...BOTH, economyCarriers: ['ECO'] });
    const ofFlags = await shopRig({ economyCarriers: ['ECO'] });
    const flags = `--ioss-number ${IOSS} --set customs.marketplaceNumber=${UK}`;
    for (const [rig, more] of [
      [ofProfile, ''],
      [ofFlags, flags],
    ] as const) {
      rig.file('orders.jsonl', jsonLines(records));
      const ran = await rig.run(`batch ship orders.jsonl --carrier cheapest ${more}`);
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(sentBy(ran)).toEqual(EXPECTED);
      expect(
        linesIn(rig)
          .map(({ key, carrier }) => `${key} ${carrier}`)
          .sort(),
      ).toEqual(['DEAR EXP', 'EU ECO', 'OWN ECO', 'UK ECO']);
      expect(ran.stderr.match(/are left out where they do not hold/g)).toHaveLength(1);
      expect(ran.stderr).toContain('customs.iossNumber: goods above the limit (1)');
      expect(ran.stderr).toContain('The economy carrier does not take 1 of them without one');
      expect(ran.stderr).toContain('warning: line 4, OWN: customs.iossNumber does not belong to this order');
      // Run again, each is the order that it was.
      const again = await rig.run(`batch ship orders.jsonl --carrier cheapest ${more} --json`);
      expect(summaryOf(again)).toMatchObject({ already: 4, sent: 0 });
    }
  });

  test('constants of a map are no numbers of the order, and a column of it is', async () => {
    const rig = await shopRig();
    rig.file('orders.jsonl', jsonLines(records));
    rig.file('shop.json', {
      columns: {},
      constants: { 'customs.iossNumber': IOSS, 'customs.marketplaceNumber': UK },
    });
    const ran = await rig.run('batch ship orders.jsonl --map ./shop.json --carrier EXP');
    expect(sentBy(ran)).toEqual(EXPECTED);
    expect(posted(ran).filter(line => line.endsWith('/shipments'))).toHaveLength(4);
  });

  test("a marketplace's orders take none of the profile, and a company's none at all", async () => {
    const rig = await shopRig(BOTH);
    const [eu] = records;
    rig.file(
      'orders.jsonl',
      jsonLines([
        { ...eu, of: 'shop' },
        { ...eu, ...orderOf({ value: 40 }), key: 'B2B', of: 'company' },
      ]),
    );
    const map = { columns: { of: '_of' }, business: { of: ['company'] } };
    rig.file('shop.json', map);
    expect(sentBy(await rig.run('batch ship orders.jsonl --map ./shop.json --carrier EXP'))).toEqual({
      25: [IOSS, undefined],
      40: [undefined, undefined],
    });
    rig.file('market.json', { ...map, marketplace: true, keyPrefix: 'm-' });
    const none = await rig.run('batch ship orders.jsonl --map ./market.json --carrier EXP');
    expect(sentBy(none)).toEqual({ 25: [undefined, undefined], 40: [undefined, undefined] });
    expect(none.stderr).toContain('customs.iossNumber: sold by a marketplace (1)');
    expect(none.stderr).toContain('customs.iossNumber: bought by a company (1)');
    const own = {
      ...map,
      marketplace: true,
      keyPrefix: 'n-',
      constants: { 'customs.iossNumber': 'IM9999999999' },
    };
    rig.file('own.json', own);
    expect(sentBy(await rig.run('batch ship orders.jsonl --map ./own.json --carrier EXP'))).toEqual({
      25: ['IM9999999999', undefined],
      40: [undefined, undefined],
    });
    rig.file('wrong.json', { marketplace: 'yes', business: ['company'] });
    const wrong = await rig.run('batch ship orders.jsonl --map ./wrong.json --json');
    expect(errorOf(wrong).issues.map(({ path }) => path)).toEqual(['business', 'marketplace']);
  });
});
