// What a person compares with the shop before a batch is booked: goods, dearest orders, warnings, numbers, duty.
import { describe, expect, test } from 'vitest';
import { setAt } from '../../../src/contract/paths.ts';
import { jsonLines, order, shop, summaryOf } from '../../rig/batch.ts';
import { asProduction } from '../../rig/production.ts';
import { SHIPMENT } from '../../rig/service.ts';

const [ITEM] = SHIPMENT.items as object[];

/** An order whose items have these prices and HS codes. */
function sale(key: string, goods: [price: number, hsCode: string][], currency = 'EUR', country = 'DE') {
  const items = goods.map(([unitPrice, hsCode]) => ({
    ...{ ...ITEM, description: `Goods of ${key}`, hsCode, quantity: 1, unitPrice },
    totalPrice: unitPrice,
  }));
  const totalGoodsValue = goods.reduce((sum, [price]) => sum + price, 0);
  const receiver = setAt(SHIPMENT.receiver, ['address', 'country', 'code'], country);
  const { carrier: _, chargeableWeight: __, ...open } = order(key);
  return { ...open, items, customs: { totalGoodsValue, currency }, receiver };
}

const SALES = [
  sale('A-1', [
    [20, '610910'],
    [30.5, '6109.10.00'],
    [9.5, '650500'],
  ]),
  sale('A-2', [[4250, '610910']]),
  sale('A-3', [[10, '61091']]),
  sale('A-4', [[90, '420221']]),
  sale('A-5', [[70, '420221']], 'USD', 'US'),
];
const FLAGS = '--carrier cheapest';

describe('A dry run', () => {
  test('has the figures in its summary, for people and for programs', async () => {
    const rig = await shop(SALES);
    const dry = await rig.run(`batch ship orders.jsonl ${FLAGS} --dry-run`);
    expect(dry.stdout).toMatch(/^Goods +4410\.00 EUR in 4 orders, 70\.00 USD in 1 order$/m);
    expect(dry.stdout).toMatch(
      /^Dearest goods +A-2 4250\.00 EUR, A-4 90\.00 EUR, A-1 60\.00 EUR, A-5 70\.00 USD$/m,
    );
    expect(dry.stdout).toMatch(/^Warnings +.*items\[\]\.hsCode \(1\)/m);
    expect(dry.stdout).toMatch(/^Without economy +4 orders, for want of a customs number$/m);
    expect(dry.stdout).toMatch(/^EU duty +3 HS codes in 2 orders, 3 EUR each: 9\.00 EUR$/m);
    expect(summaryOf(await rig.run(`batch ship orders.jsonl ${FLAGS} --dry-run --json`)).goods).toMatchObject(
      {
        value: { EUR: 4410, USD: 70 },
        orders: { EUR: 4, USD: 1 },
        dearest: [
          { key: 'A-2', line: 2, value: 4250, currency: 'EUR' },
          { key: 'A-4', line: 4, value: 90, currency: 'EUR' },
          { key: 'A-1', line: 1, value: 60, currency: 'EUR' },
          { key: 'A-5', line: 5, value: 70, currency: 'USD' },
        ],
        withoutEconomy: 4,
        tariffCodes: 3,
        tariffParcels: 2,
      },
    );
  });

  test('with an estimate has the dearest postage beside the dearest goods, where a slipped weight shows', async () => {
    const [light, ...others] = SALES;
    const packages = [
      { quantity: 1, weight: 15, dimensions: { width: 20, length: 30, height: 10, unit: 'cm' } },
    ];
    const rig = await shop([{ ...light, packages }, ...others]);
    const dry = await rig.run(`batch ship orders.jsonl --carrier EXP --dry-run --estimate`);
    expect(dry.stdout).toMatch(/^Dearest goods +A-2 .*\nDearest postage +A-1 \d+\.\d\d EUR, A-\d .*, A-\d /m);
  });

  test('names the orders of a warning, and what is booked already is in no figure', async () => {
    const rig = await shop(SALES.slice(0, 1));
    await rig.run(`batch ship orders.jsonl ${FLAGS}`);
    rig.file('orders.jsonl', jsonLines(SALES.slice(0, 3)));
    const dry = await rig.run(`batch ship orders.jsonl ${FLAGS} --dry-run`);
    expect(dry.stderr).toContain('warning: line 3, A-3: items[0].hsCode is "61091"');
    expect(dry.stdout).toMatch(/^Goods +4260\.00 EUR in 2 orders$/m);
  });
});

test('Before "book this?" a batch shows the figures on the page; with --yes it does not ask, and shows none', async () => {
  const rig = await shop(SALES);
  const env = { ...(await asProduction(rig)), NO_COLOR: '1' };
  const ran = await rig.run(`batch ship orders.jsonl ${FLAGS}`, {
    terminal: true,
    env,
    answers: async () => 'n',
  });
  expect(ran.exitCode).toBe(130);
  expect(ran.stderr).toMatch(/to be booked; compare it with your shop:\n {2}Goods +4410\.00 EUR in 4 orders/);
  for (const line of ['Dearest goods', 'Warnings', 'Without economy', 'EU duty'])
    expect(ran.stderr).toMatch(new RegExp(`^ {2}${line} {2}`, 'm'));
  const sure = await rig.run(`batch ship orders.jsonl ${FLAGS} --yes`, { terminal: true, env });
  expect([sure.exitCode, sure.stderr.includes('compare it')]).toEqual([0, false]);
});
