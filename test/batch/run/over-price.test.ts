import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  created,
  ends,
  jsonLines,
  keys,
  linesIn,
  order,
  orders,
  scriptedService,
  shop,
  summaryOf,
} from '../../rig/batch.ts';
import type { Rig } from '../../rig/command.ts';
import { inJournal, settle } from '../../rig/journal.ts';
import { errorOf } from '../../rig/service.ts';

const BATCH = 'batch ship orders.jsonl --max-price 60EUR --concurrency 1';

/** A shop with this many orders, at a service that books them at these prices; later ones at 12.40. */
async function priced(count: number, ...prices: number[]) {
  const rig = await shop(orders(count));
  const { env, arrivals } = await scriptedService(key => created(key, prices[Number(key.split('-')[1]) - 1]));
  return { rig, arrivals, run: (argv: string, more = {}) => rig.run(argv, { env: { ...env, ...more } }) };
}

const acceptAll = (rig: Rig) =>
  inJournal(rig, 'state', async journal => {
    for (const { id } of await journal.list({})) await settle(journal, id, 'accepted');
  });

describe('A batch whose record is booked above its bound', () => {
  test('starts no further one, and ends with 11', async () => {
    const { rig, run, arrivals } = await priced(4, 12, 499, 499, 12);
    const ran = await run(`${BATCH} --json`);
    expect(ends(linesIn(rig))).toEqual([
      'ORDER-1 created 0 true',
      'ORDER-2 created 11 true',
      'ORDER-3 not_sent null false',
      'ORDER-4 not_sent null false',
    ]);
    expect(arrivals).toHaveLength(2);
    expect(summaryOf(ran)).toMatchObject({ stopped: 'over_price', exitCode: 11, sent: 2 });
    expect(errorOf(ran)).toMatchObject({ code: 'over_price', exitCode: 11 });
    expect(errorOf(ran).message).toContain(
      'and 2 records were not started. 1 is booked above --max-price. If a person accepts the price, `waybill history accept ORDER-2` records that',
    );
    expect(linesIn(rig)[1]).toMatchObject({
      ...{ overPrice: true, price: 499, shipmentId: 'S-ORDER-2' },
      error: { code: 'over_price', exitCode: 11 },
    });
    expect(linesIn(rig)[2]?.error).toMatchObject({ code: 'interrupted', exitCode: null });
    expect(linesIn(rig)[0]).toMatchObject({ overPrice: false });
  });

  test('goes on with --max-overpriced, and still ends with 11', async () => {
    const { rig, run } = await priced(4, 499, 12, 499, 12);
    const ran = await run(`${BATCH} --json --max-overpriced 3`);
    expect(ran.exitCode).toBe(11);
    expect(ends(linesIn(rig))).toEqual([
      'ORDER-1 created 11 true',
      'ORDER-2 created 0 true',
      'ORDER-3 created 11 true',
      'ORDER-4 created 0 true',
    ]);
    expect(summaryOf(ran)).toMatchObject({ stopped: null, sent: 4 });
    expect(errorOf(ran).message).toContain('`waybill history accept ORDER-1 ORDER-3` records that');
  });

  test('has at most as many of them as are under way at one time', async () => {
    const { arrivals, run } = await priced(40, ...Array<number>(40).fill(499));
    expect((await run(BATCH.replace('--concurrency 1', '--concurrency 4'))).exitCode).toBe(11);
    expect(arrivals.length).toBeLessThanOrEqual(4);
  });

  test('does what is left when it is run again; the old ones stop nothing, and are told until accepted', async () => {
    const { rig, run, arrivals } = await priced(4, 499);
    expect((await run(BATCH)).stderr).toContain('booked for 499.00 EUR');
    expect((await run(BATCH)).exitCode).toBe(11);
    expect(ends(linesIn(rig))).toEqual([
      'ORDER-1 created 11 false',
      'ORDER-2 created 0 true',
      'ORDER-3 created 0 true',
      'ORDER-4 created 0 true',
    ]);
    await acceptAll(rig);
    expect(await run(BATCH)).toMatchObject({ exitCode: 0 });
    expect(linesIn(rig)[0]).toMatchObject({ exitCode: 0, overPrice: true, sent: false });
    expect(arrivals).toHaveLength(4);
  });

  test('makes no label of it, also when it is run again', async () => {
    const { rig, run } = await priced(2, 499);
    for (const _ of ['first', 'again'])
      expect((await run(`${BATCH} --label --max-overpriced 2`)).exitCode).toBe(11);
    expect(
      linesIn(rig)
        .map(({ key, trackingNumber }) => `${key} ${trackingNumber}`)
        .sort(),
    ).toEqual(['ORDER-1 null', 'ORDER-2 T-1']);
  });

  test('says so in the results as CSV', async () => {
    const { rig, run } = await priced(1, 499);
    await run(`${BATCH} --results out.csv --run night --actor anna`);
    const [head, line] = readFileSync(join(rig.folder, 'out.csv'), 'utf8').split('\r\n');
    expect(head).toContain(',price,currency,overPrice,mended,labelFile,run,actor,error');
    expect(line).toContain(',499,EUR,true,false,,night,anna,"ship: it is booked');
  });
});

test.each(['', '-q'])(
  'Records whose answers have no price are warned of once for each bound, with their lines %s',
  async quiet => {
    const rig = await shop(keys(4).map((key, at) => order(key, at === 3 ? { maxPrice: '99EUR' } : {})));
    const { env } = await scriptedService(key => ({ status: 201, body: { id: `S-${key}` } }));
    const ran = await rig.run(`${BATCH} --carrier EXP ${quiet}`, { env });
    const doubt = (bound: string) =>
      `the answer has no price at carrier.price, so it cannot be compared with --max-price ${bound}`;
    expect(ran.stderr).toContain(`warning: line 1, line 2 and line 3: ${doubt('60 EUR')}\n`);
    expect(ran.stderr).toContain(`warning: line 4: ${doubt('99 EUR')}\n`);
    expect(ends(linesIn(rig))).toEqual(keys(4).map(key => `${key} created 0 true`));
  },
);

test('A line names the run and the person that booked it, and for what was not booked those of this run', async () => {
  const { rig, run } = await priced(2);
  rig.file('orders.jsonl', jsonLines([order('ORDER-1')]));
  await run(`${BATCH} --run first --actor anna`);
  rig.file('orders.jsonl', jsonLines([order('ORDER-1'), order('ORDER-2')]));
  await run(`${BATCH} --run second --actor ben`);
  expect(linesIn(rig).map(({ key, run: of, actor }) => `${key} ${of} ${actor}`)).toEqual([
    'ORDER-1 first anna',
    'ORDER-2 second ben',
  ]);
});
