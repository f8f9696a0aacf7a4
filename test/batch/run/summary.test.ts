// What a batch says at its end: the shipments, labels and cost of this run, apart from those of earlier runs, and faults.
import { describe, expect, test } from 'vitest';
import {
  issuesOf,
  jsonLines,
  keys,
  linesIn,
  order,
  orders,
  scriptedService,
  shop,
  summaryOf,
} from '../../rig/batch.ts';
import { errorOf } from '../../rig/service.ts';

const SHIP = 'batch ship orders.jsonl';

const PRICES: Record<string, unknown> = { A: 0.1, B: 0.2, C: '12.40', D: null, E: 0, F: '1.234', G: 5 };

async function pricedShop(...names: string[]) {
  const { env } = await scriptedService(key => {
    const carrier = { id: 'EXP', price: PRICES[key], currency: key === 'G' ? 'USD' : 'EUR' };
    return { status: 201, body: { id: `S-${key}`, carrier } };
  });
  return shop(
    names.map(key => order(key)),
    { env },
  );
}

describe('The summary', () => {
  test('has the cost in numbers, whose sums are exact, and counts what has no price that can be read', async () => {
    const rig = await pricedShop(...Object.keys(PRICES));
    const ran = await rig.run(`${SHIP} --json`);
    const cost = { EUR: 12.7, USD: 5 };
    expect(summaryOf(ran)).toMatchObject({ shipments: 7, labels: 0, cost, withoutPrice: 2 });
    expect(summaryOf(ran).before).toEqual({ shipments: 0, labels: 0, cost: {}, withoutPrice: 0 });
  });

  test('tells what this run booked from what earlier runs had booked', async () => {
    const rig = await pricedShop('A', 'B');
    await rig.run(SHIP);
    rig.file('orders.jsonl', jsonLines(['A', 'B', 'C'].map(key => order(key))));
    const ran = await rig.run(`${SHIP} --json`);
    expect(summaryOf(ran)).toMatchObject({ sent: 1, already: 2, shipments: 1, cost: { EUR: 12.4 } });
    expect(summaryOf(ran).before).toMatchObject({ shipments: 2, cost: { EUR: 0.3 } });
    const { stdout } = await rig.run(SHIP);
    expect(stdout).toMatch(/^Booked +nothing$/m);
    expect(stdout).toMatch(/^Booked before +3 shipments, 12\.70 EUR$/m);
  });

  test('of a run that only makes labels has no shipment and no cost', async () => {
    const rig = await shop(orders(3));
    const first = await rig.run(SHIP);
    expect(first.stdout).toMatch(/^Booked +3 shipments\nCost +158\.70 EUR$/m);
    const ran = await rig.run(`${SHIP} --label --json`);
    expect(summaryOf(ran)).toMatchObject({ sent: 0, already: 3, shipments: 0, labels: 3, cost: {} });
    expect(summaryOf(ran).before).toMatchObject({ shipments: 3, labels: 0, cost: { EUR: 158.7 } });
    expect(linesIn(rig).map(({ sent, trackingNumber }) => [sent, typeof trackingNumber])).toEqual(
      Array(3).fill([false, 'string']),
    );
    const again = await rig.run(`${SHIP} --label`);
    expect(again.stdout).toMatch(/^Sent +0$/m);
    expect(again.stdout).toMatch(/^Booked +nothing$/m);
    expect(again.stdout).toMatch(/^Booked before +3 shipments, 3 labels, 158\.70 EUR$/m);
  });
});

describe('A fault', () => {
  const bad = { category: 'sale' };

  test('that all records share is told once, before the others, with the flag that helps', async () => {
    const records = keys(40).map(key => order(key, { type: undefined }));
    const rig = await shop([order('X', { type: undefined, ...bad }), ...records]);
    expect(issuesOf(await rig.run(`${SHIP} --json`))).toEqual([
      expect.stringMatching(/^all 41 records: type is required/),
      expect.stringMatching(/^line 1: category must be/),
    ]);
  });

  test('that some records share is told once, with their lines', async () => {
    const rig = await shop([...orders(3), ...['A', 'B', 'C', 'D'].map(key => order(key, bad)), order('E')]);
    expect(issuesOf(await rig.run(`${SHIP} --json`))).toEqual([
      expect.stringMatching(/^lines 4, 5, 6 and 7: category must be/),
    ]);
    const two = await shop([order('A', bad), order('B'), order('C', bad)]);
    expect(issuesOf(await two.run(`${SHIP} --json`))).toEqual([
      expect.stringMatching(/^line 1 and line 3: category must be/),
    ]);
  });

  test('that stopped the run comes first: the reason in the first sentence, its failures before bad rows', async () => {
    const rig = await shop([...['A', 'B'].map(key => order(key, bad)), ...orders(9)]);
    const ran = await rig.run(`${SHIP} --skip-invalid --concurrency 1 --json`, {
      env: { WAYBILL_TOKEN: 'wrong' },
    });
    expect(errorOf(ran).exitCode).toBe(3);
    expect(errorOf(ran).message).toMatch(
      /^batch ship stopped because the service failed for several records in a row \(unauthorized\), and 4 records were not started\. 7 of 11 records failed/,
    );
    expect(issuesOf(ran)).toEqual([
      expect.stringMatching(/^lines 3, 4, 5, 6 and 7 ship: .*401/),
      expect.stringMatching(/^line 1 and line 2 category must be/),
    ]);
  });
});

test('Records whose key is booked with another request are counted apart from refused ones', async () => {
  const rig = await shop(orders(13));
  expect((await rig.run(SHIP)).exitCode).toBe(0);
  rig.file('orders.jsonl', jsonLines([...orders(13), order('X', { category: 'sale' }), order('Y')]));
  const again = `${SHIP} --set customs.iossNumber=IM2760000742 --skip-invalid --failed fix.jsonl --json`;
  const ran = await rig.run(again);
  expect(summaryOf(ran).states).toEqual({ created: 1, duplicate: 13, invalid: 1 });
  expect(errorOf(ran).message).toContain(
    'batch ship: 1 of 15 records failed. 13 with a key that is booked with another request, so nothing was sent: use the options of that booking, or take them out of the file. Fix what was refused in fix.jsonl',
  );
  rig.file('orders.jsonl', jsonLines([order('Y', { chargeableWeight: 7 })]));
  const one = await rig.run(`${SHIP} --json`);
  expect(errorOf(one).message).toMatch(
    /^batch ship: 1 of 1 records with a key that is booked with another request, so nothing was sent: /,
  );
});

test.each([
  [
    "--format jsonl --map 'a map.json' --type package --max-price 60EUR --set 'customs.iossNumber=a b'",
    "--format jsonl --map 'a map.json' --type package --max-price 60EUR --set 'customs.iossNumber=a b'",
  ],
  // It merges into another file than that of this run.
  ['--label --merge today.pdf', '--label --merge today.fixed.pdf'],
])(
  'The command for the file of refused records has the options of this one, as they must be typed: %s',
  async (options, again) => {
    const rig = await shop([order('A'), order('B', { category: 'sale' })]);
    rig.file('a map.json', '{}');
    const own = '--concurrency 1 --skip-invalid --results r.jsonl --failed fix.jsonl';
    const ran = await rig.run(`${SHIP} ${options} ${own} --json`);
    expect(errorOf(ran).message).toContain(
      `Fix it in fix.jsonl and run that file: \`waybill batch ship ${again} fix.jsonl\``,
    );
  },
);
