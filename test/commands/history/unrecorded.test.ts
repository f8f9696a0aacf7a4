// A journal that could not be written when answers came: the results of a batch are then the only record of what was paid for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/host/sqlite.ts';
import { dualOrder, ends, jsonLines, linesIn, orders, summaryOf } from '../../rig/batch.ts';
import { createRig, type Ran, type Rig, type RigOptions, type RunOptions } from '../../rig/command.ts';
import { describeBoth, type JournalKind, relayTo, sharedPlace } from '../../rig/postgres.ts';
import { errorOf, posted } from '../../rig/service.ts';
import { event } from '../../rig/sockets.ts';

const RESULTS = 'orders.results.jsonl';
const BATCH = 'batch ship orders.jsonl --json --concurrency 1';
const IMPORT = `history import ${RESULTS} --json`;

interface Stage {
  rig: Rig;
  /** Runs it in a journal that takes claims, and no outcome from the nth that is recorded on. */
  unrecorded(argv: string, first?: number): Promise<Ran>;
  /** Then a booking counts as lost whose process is gone. */
  later(): Promise<void>;
}

async function stage(
  kind: JournalKind,
  records: readonly unknown[],
  options: RigOptions = {},
): Promise<Stage> {
  const files = { 'orders.jsonl': jsonLines(records) };
  if (kind === 'shared') {
    const { address, age } = await sharedPlace();
    const relay = await relayTo(address);
    const rig = await createRig({
      ...options,
      files,
      journalLost: true,
      env: { WAYBILL_JOURNAL: relay.address },
    });
    await rig.run('history check --new-journal');
    return {
      rig,
      later: () => age(61_000),
      async unrecorded(argv, first = 1) {
        const ran = await rig.run(
          argv,
          lossAt(first, () => relay.cut()),
        );
        relay.mend();
        return ran;
      },
    };
  }
  const rig = await createRig({ ...options, files, journalLost: true });
  await rig.run('history check --new-journal');
  const ask = async (sql: string) => {
    const store = await openStore(join(rig.folder, 'state/journal.db'), { durability: 'normal' });
    store.run(sql);
    store.close();
  };
  return {
    rig,
    // The process of the test still runs.
    later: () => rig.later(4_000_000),
    async unrecorded(argv, first = 1) {
      // As a full disk refuses it.
      await ask(`CREATE TRIGGER full BEFORE UPDATE OF state ON bookings
        WHEN (SELECT count(*) FROM bookings WHERE state <> 'pending') >= ${first - 1}
        BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
      const ran = await rig.run(argv);
      await ask('DROP TRIGGER full');
      return ran;
    },
  };
}

/** The journal is gone when that many bookings have arrived, and the command stops waiting for it. */
function lossAt(first: number, cut: () => void): RunOptions {
  let arrived = 0;
  const [patience, giveUp] = event();
  return {
    patience,
    afterwards: 20,
    onRequest({ method }) {
      if (method === 'POST') arrived += 1;
      if (arrived === first) cut();
    },
    onWait() {
      if (arrived >= first) giveUp();
    },
  };
}

const resultsOf = ({ folder }: Rig) => readFileSync(join(folder, RESULTS), 'utf8');
const shown = (rig: Rig, key: string) => rig.json(`history show ${key}`);
const imported = async (rig: Rig) => JSON.parse((await rig.run(IMPORT)).stdout);
const HALF = { faults: [{ kind: 'label-domestic', probability: 1 }] } as const;

describeBoth('The results of a run whose journal could not be written', kind => {
  test('are not replaced, with the command that settles from them; then nothing of it is booked again', async () => {
    const { rig, unrecorded } = await stage(kind, orders(2));
    const ran = await unrecorded(BATCH, 2);
    expect([ran.exitCode, posted(ran).length]).toEqual([10, 2]);
    expect(ends(linesIn(rig))).toEqual(['ORDER-1 created 0 true', 'ORDER-2 created 10 true']);
    expect(linesIn(rig).map(({ recorded }) => recorded)).toEqual([true, false]);
    const before = resultsOf(rig);
    for (const operation of ['ship', 'track']) {
      const refused = await rig.run(`batch ${operation} orders.jsonl --json --results ${RESULTS}`);
      expect([refused.exitCode, refused.requests, errorOf(refused).code]).toEqual([2, [], 'duplicate']);
      expect(errorOf(refused).message).toMatch(/has 1 booking made at.*waybill history import /);
      expect(resultsOf(rig)).toBe(before);
    }
    expect(await imported(rig)).toMatchObject({ taken: 0, settled: 1, known: 1, held: 0, unclear: [] });
    const [, lost] = linesIn(rig);
    expect(await shown(rig, 'ORDER-2')).toMatchObject({
      ...{ state: 'created', exitCode: 0, shipmentIds: [lost?.shipmentId], price: lost?.price },
      settlements: [{ state: 'created', reason: expect.stringContaining(`imported from ${RESULTS}`) }],
    });
    const again = await rig.run(BATCH);
    expect([again.exitCode, posted(again).length, summaryOf(again).states]).toEqual([0, 0, { created: 2 }]);
    expect(await imported(rig)).toMatchObject({ settled: 0, known: 2 });
    expect((await rig.run('history check --strict')).exitCode).toBe(0);
  });

  test('of pairs are settled with the labels of both legs, which are not made again', async () => {
    const { rig, unrecorded } = await stage(kind, [dualOrder('P-1')]);
    expect((await unrecorded('batch ship-dual orders.jsonl --json --label')).exitCode).toBe(10);
    const [line] = linesIn(rig);
    expect(await imported(rig)).toMatchObject({ settled: 1, held: 0 });
    expect(await shown(rig, 'P-1')).toMatchObject({
      ...{ state: 'created', shipmentIds: [line?.shipmentId, line?.domesticShipmentId] },
      trackingNumbers: [line?.trackingNumber, line?.domesticTrackingNumber],
    });
    const label = await rig.run('label --key P-1 --json');
    expect([label.exitCode, posted(label)]).toEqual([0, []]);
  });

  test('of a pair without the label of one leg are settled as that, with its price; a person can take that back', async () => {
    const { rig, unrecorded } = await stage(kind, [dualOrder('P-1')], HALF);
    const batch = 'batch ship-dual orders.jsonl --json --label';
    expect((await unrecorded(batch)).exitCode).toBe(10);
    const [line] = linesIn(rig);
    const lost = resultsOf(rig);
    expect(await imported(rig)).toMatchObject({ settled: 1, held: 0 });
    const { price, currency, shipmentId, domesticShipmentId } = line ?? {};
    const part = { state: 'partial', exitCode: 9, shipmentIds: [shipmentId, domesticShipmentId] };
    expect(await shown(rig, 'P-1')).toMatchObject({ ...part, price, currency });
    const again = await rig.run(batch);
    expect([again.exitCode, posted(again), summaryOf(again).states]).toEqual([9, [], { partial: 1 }]);
    expect(linesIn(rig)[0]?.error?.message).toMatch(/waybill label --domestic \S+$/);
    const said = errorOf(await rig.run('history resolve P-1 --created S-1 --domestic S-2 --json'));
    expect(said.message).toMatch(/resolved it as created at .*--reopen`/);
    expect((await rig.run('history resolve P-1 --reopen')).exitCode).toBe(0);
    expect(await shown(rig, 'P-1')).toMatchObject({ state: 'unknown', exitCode: 8, shipmentIds: [] });
    rig.file(RESULTS, lost);
    expect(await imported(rig)).toMatchObject({ settled: 1, held: 0 });
    expect(await shown(rig, 'P-1')).toMatchObject(part);
  });

  test.each([
    ['batch label orders.jsonl --json --results orders.results.jsonl', 1],
    [`${BATCH} --label`, 2],
  ])('of %s are settled with the label, which is not made again', async (batch, first) => {
    const { rig, unrecorded } = await stage(kind, orders(1));
    if (first === 1) await rig.run('batch ship orders.jsonl --results shipments.jsonl');
    const ran = await unrecorded(batch, first === 1 && kind === 'local' ? 2 : first);
    expect(ran.exitCode).toBe(10);
    const [line] = linesIn(rig);
    expect(line?.trackingNumber).toEqual(expect.any(String));
    const refused = await rig.run(batch);
    expect([refused.exitCode, posted(refused)]).toEqual([2, []]);
    expect(await imported(rig)).toMatchObject({ taken: 0, settled: 1, held: 0 });
    expect(await shown(rig, 'ORDER-1')).toMatchObject({ trackingNumbers: [line?.trackingNumber] });
    const again = await rig.run(batch);
    expect([again.exitCode, posted(again)]).toEqual([0, []]);
  });

  test('never settle a booking that has another id, another place, or a key that was booked again', async () => {
    const { rig, unrecorded, later } = await stage(kind, orders(1));
    await unrecorded(BATCH);
    const [line] = linesIn(rig);
    const booking = line?.error?.booking ?? '';
    const importOf = async (change: object, flags = '') => {
      rig.file('changed.jsonl', jsonLines([{ ...line, ...change }]));
      const ran = await rig.run(`history import changed.jsonl --json ${flags}`);
      return [ran.exitCode, ran.stdout && JSON.parse(ran.stdout)];
    };
    const left = [9, { taken: 0, settled: 0, held: 1 }];
    const other = { ...line?.error, booking: `bk_${'0'.repeat(32)}` };
    expect(await importOf({ error: other })).toMatchObject(left);
    // Another machine booked the same key.
    expect(await importOf({ exitCode: 0, error: undefined, shipmentId: 'S-9' })).toMatchObject(left);
    const place = `${rig.address}/sandbox`;
    expect(await importOf({ place })).toEqual([2, '']);
    const there = await importOf({ place }, '--sandbox --done none');
    expect(there).toMatchObject([0, { taken: 1, settled: 0 }]);
    await later();
    expect(await shown(rig, booking)).toMatchObject({ state: 'unknown', settlements: [] });

    await rig.run(`history resolve ${booking} --not-created --force --reason gone`);
    await rig.run('batch ship orders.jsonl --results second.jsonl');
    expect(await importOf({})).toMatchObject(left);
    expect(await shown(rig, booking)).toMatchObject({ state: 'rejected' });
  });

  test('keep the shipment of another booking out, and are settled once by two that import at one moment', async () => {
    const { rig, unrecorded } = await stage(kind, orders(2));
    await unrecorded(`${BATCH} --results lost.jsonl`, 2);
    const [first, lost] = linesIn(rig, 'lost.jsonl');
    rig.file('taken.jsonl', jsonLines([{ ...lost, shipmentId: first?.shipmentId }]));
    const taken = await rig.run('history import taken.jsonl --json');
    expect([taken.exitCode, JSON.parse(taken.stdout).leftOut]).toMatchObject([
      9,
      [{ key: 'ORDER-2', shipmentIds: [first?.shipmentId] }],
    ]);
    const two = await Promise.all([1, 2].map(() => rig.run('history import lost.jsonl --json')));
    expect(two.map(({ stdout }) => JSON.parse(stdout).settled).sort()).toEqual([0, 1]);
    expect((await shown(rig, 'ORDER-2')).settlements).toHaveLength(1);
  });

  test('as CSV are not replaced, either; what to do then is told', async () => {
    const { rig, unrecorded } = await stage(kind, orders(1));
    const batch = `${BATCH} --results orders.csv`;
    await unrecorded(batch);
    const refused = await rig.run(batch);
    expect([refused.exitCode, refused.requests]).toEqual([2, []]);
    expect(errorOf(refused).message).toMatch(/A CSV is not imported\. .*waybill history resolve.*--results/);
  });

  test.each([
    ['unknown', 'reset-after', 8],
    ['rejected', 422, 10],
  ] as const)(
    'that are %s by their answers say so, and not that nothing was sent',
    async (state, fault, exit) => {
      const faults = [{ kind: fault, probability: 1 }];
      const { rig, unrecorded } = await stage(kind, orders(1), { faults });
      expect((await unrecorded(BATCH)).exitCode).toBe(exit);
      expect(linesIn(rig)).toMatchObject([{ state, exitCode: 10, sent: true }]);
    },
  );
});
