// How records and runs end where a row of promises cannot show it: over both journals, in races, and for exact sums.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  created,
  ends,
  keys,
  linesIn,
  order,
  orders,
  scriptedService,
  shop,
  summaryOf,
} from '../../rig/batch.ts';
import { errorOf } from '../../rig/service.ts';
import { event } from '../../rig/sockets.ts';

const SHIP = 'batch ship orders.jsonl --json';

test('Too many requests hold back the records that are not started, too', async () => {
  const [waiting, free] = event();
  const [second, secondIsThere] = event();
  const rig = await shop(orders(9));
  const { env, arrivals } = await scriptedService(async (key, attempt) => {
    if (key === 'ORDER-1' && attempt === 1) return { status: 429, headers: { 'retry-after': '30' } };
    if (key === 'ORDER-2') {
      await waiting;
      secondIsThere();
    }
    return created(key);
  });
  const during: string[][] = [];
  const ran = await rig.run(`${SHIP} --concurrency 2`, {
    env,
    onWait: async () => {
      free();
      await second;
      // For what would come too early.
      await new Promise(done => setTimeout(done, 100));
      during.push(arrivals.map(({ key }) => key));
    },
  });
  expect(ran).toMatchObject({ exitCode: 0, waits: [30_000, 30_000] });
  // The run goes on when its own wait is over, which ends a moment before that of the record.
  expect(during[0]).toEqual(keys(2));
  expect(ends(linesIn(rig))).toEqual(keys(9).map(key => `${key} created 0 true`));
});

test('The cost of a batch is an exact sum, and counts what has no price, none in a currency, and none above 0', async () => {
  const prices: Record<string, unknown> = {
    ...{ A: 0.1, B: 0.2, C: '12.40', D: null, E: 0, F: '1.234', G: 5, H: -1000, I: 7 },
  };
  const currencies: Record<string, string> = { B: ' eur ', G: 'USD', I: '' };
  const { env } = await scriptedService(key => {
    const carrier = { id: 'EXP', price: prices[key], currency: currencies[key] ?? 'EUR' };
    return { status: 201, body: { id: `S-${key}`, carrier } };
  });
  const rig = await shop(
    Object.keys(prices).map(key => order(key)),
    { env },
  );
  const ran = await rig.run(SHIP);
  const cost = { EUR: 12.7, USD: 5 };
  expect(summaryOf(ran)).toMatchObject({ shipments: 9, labels: 0, cost, withoutPrice: 5 });
  expect(summaryOf(ran).before).toEqual({ shipments: 0, labels: 0, cost: {}, withoutPrice: 0 });
  const [line] = linesIn(rig).filter(({ key }) => key === 'H');
  expect(line).toMatchObject({ state: 'created', price: -1000, result: { carrier: { price: -1000 } } });
  expect(await rig.json('history summary')).toMatchObject([{ shipments: 9, cost, withoutPrice: 5 }]);
});

const OPTIONS =
  "--format jsonl --map 'a map.json' --type package --max-price 60EUR --set 'customs.iossNumber=a b'";

test.each([
  [OPTIONS, OPTIONS],
  // The command merges into another file than that of this run. Without a word behind --papers, the name of the file would be
  // taken for one.
  ['--label --merge today.pdf --papers', '--label --merge today.fixed.pdf --papers invoice,slip'],
])(
  'The command for the file of refused records has the options of this one, as they must be typed: %s',
  async (options, again) => {
    const rig = await shop([order('A', { category: 'sale' })], { files: { 'a map.json': '{}' } });
    const own = '--concurrency 1 --skip-invalid --results r.jsonl --failed fix.jsonl';
    const ran = await rig.run(`${SHIP} ${options} ${own}`);
    expect(errorOf(ran).message).toContain(`\`waybill batch ship ${again} fix.jsonl\``);
  },
);

test('A results file that is deleted while it is written is exit 10, and nothing more is started', async () => {
  const rig = await shop(orders(6));
  let seen = 0;
  const ran = await rig.run(`${SHIP} --concurrency 1`, {
    onRequest: () => {
      seen += 1;
      if (seen === 2) rmSync(join(rig.folder, 'orders.results.jsonl'));
    },
  });
  expect(ran.exitCode).toBe(10);
  expect(errorOf(ran).message).toContain('it was deleted while it was written');
  expect(summaryOf(ran).sent).toBeLessThan(6);
  const again = await rig.run(SHIP);
  expect([again.exitCode, linesIn(rig).length]).toEqual([0, 6]);
  expect(ran.requests.length + again.requests.length).toBe(6);
});
