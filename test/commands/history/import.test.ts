// What two machines do with one file of results: nothing is booked or labelled twice; promises/history-import has the rest.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dualOrder, jsonLines, linesIn, order, orders } from '../../rig/batch.ts';
import { createRig, type Ran, type Rig, type RigOptions } from '../../rig/command.ts';
import { machine } from '../../rig/journal.ts';
import { describeBoth, type JournalKind, sharedPlace } from '../../rig/postgres.ts';
import { errorOf, posted } from '../../rig/service.ts';

const IMPORT = 'history import --done none';
const RESULTS = `${IMPORT} orders.results.jsonl --json`;
const BATCH = 'batch ship orders.jsonl --json';
const LOST: RigOptions = { faults: [{ kind: 'reset-after', probability: 1 }] };

const summary = ({ stdout }: Ran) => JSON.parse(stdout);
/** Two machines at one service, with one folder to hand files over in. The second one has a journal of that kind. */
async function machines(options: RigOptions = {}, kind: JournalKind = 'local') {
  const rig = await createRig(options);
  const env = kind === 'shared' ? { WAYBILL_JOURNAL: (await sharedPlace()).address } : {};
  const second = machine(rig, 'b');
  const b: typeof second = (argv, more) => second(argv, { ...more, env });
  return { rig, a: machine(rig, 'a'), b };
}
type Run = Awaited<ReturnType<typeof machines>>['b'];

/** A line of results as a batch of another machine at the same service writes it. */
const lineAt = (rig: Rig, line: Record<string, unknown>) => ({
  ...{ operation: 'ship', place: rig.address, key: 'ORDER-1', line: 1, sandbox: false },
  ...line,
});

/** Imports these lines, and gives what became of them. */
async function imported(rig: Rig, run: Run, ...lines: Record<string, unknown>[]) {
  rig.file('lines.jsonl', jsonLines(lines.map(line => lineAt(rig, line))));
  const ran = await run(`${IMPORT} lines.jsonl --json`);
  return { exit: ran.exitCode, ...summary(ran) };
}

const listOf = async (run: Run) => JSON.parse((await run('history list --json')).stdout);

test.each([
  ['ship', orders(2)],
  ['ship-dual', [dualOrder('P-1'), dualOrder('P-2')]],
])(
  'The results of labels have the keys of %s: no shipment and no label is made again',
  async (operation, records) => {
    const { rig, a, b } = await machines();
    const batches = [
      [`batch ${operation}`, jsonLines(records)],
      ['batch label', jsonLines(records.map(({ key }) => ({ key })))],
    ] as const;
    for (const run of [a, b])
      for (const [batch, text] of batches) {
        if (run === b) await b(`${IMPORT} orders.label.jsonl`);
        rig.file('orders.jsonl', text);
        // The file of the shipments stays that of the other journal.
        const results = run === b ? '--results mine.jsonl' : '';
        const ran = await run(`${batch} orders.jsonl --json ${results}`);
        expect([ran.exitCode, posted(ran).length]).toEqual([0, run === a ? 2 : 0]);
      }
  },
);

test('The results of a run that was interrupted before a label have its shipment: it is not booked again', async () => {
  const { rig, a, b } = await machines();
  rig.file('orders.jsonl', jsonLines(orders(2)));
  const batch = `${BATCH} --label --concurrency 1`;
  const [ship, label] = ['POST /v1/shipments', 'POST /v2/carriers/create'];
  const first = await a(batch, {
    onRequest: ({ path }, { interrupt }) => {
      if (path === '/v1/shipments') interrupt('SIGINT');
    },
  });
  expect([first.exitCode, posted(first)]).toEqual([130, [ship]]);
  expect(summary(await b(RESULTS))).toMatchObject({ taken: 1, unknown: 0 });
  expect(posted(await b(batch))).toEqual([label, ship, label]);
});

test('A price that was accepted there is accepted here, by its actor or by the file', async () => {
  const { rig, b } = await machines();
  const dear = (number: number, more: object) => ({
    ...{ key: `ORDER-${number}`, state: 'created', overPrice: true, exitCode: 0 },
    ...{ shipmentId: `S-${number}`, ...more },
  });
  const half = { operation: 'ship-dual', state: 'partial' };
  await imported(
    rig,
    b,
    dear(1, { actor: 'Ann' }),
    dear(2, {}),
    dear(3, { exitCode: 11 }),
    dear(4, { ...half, domesticShipmentId: 'D-4', exitCode: 9 }),
    dear(5, { ...half, domesticShipmentId: 'D-5', exitCode: 11 }),
  );
  expect((await listOf(b)).reverse()).toMatchObject([
    { exitCode: 0, settlements: [{ state: 'accepted', by: 'Ann' }] },
    { exitCode: 0, settlements: [{ state: 'accepted', by: 'results file' }] },
    { exitCode: 11, settlements: [] },
    { exitCode: 9, settlements: [{ state: 'accepted', by: 'results file' }] },
    { exitCode: 11, settlements: [] },
  ]);
});

test('The shipment of a mended record without a key gets the key of its order, which is not booked again', async () => {
  const { rig, a, b } = await machines();
  const { key: _, ...unnamed } = order('NEW');
  rig.file('orders.jsonl', jsonLines([unnamed]));
  await a(`${BATCH} --failed failed.jsonl`);
  const failed = JSON.parse(readFileSync(join(rig.folder, 'failed.jsonl'), 'utf8'));
  rig.file('fixed.jsonl', jsonLines([{ ...failed, key: 'NEW' }]));
  const fixed = 'batch ship fixed.jsonl --json';
  expect(posted(await a(fixed))).toHaveLength(1);
  expect(summary(await a(BATCH))).toMatchObject({ mended: 1 });
  expect(summary(await b(RESULTS))).toMatchObject({ taken: 1 });
  const known = await b(`${IMPORT} fixed.results.jsonl --json`);
  expect(summary(known)).toMatchObject({ taken: 0, known: 1 });
  expect(await listOf(b)).toMatchObject([{ key: 'NEW', state: 'created' }]);
  expect(posted(await b(fixed))).toEqual([]);
});

describeBoth('What is imported', kind => {
  test('keeps keys and claims of labels, and is known there and here afterwards', async () => {
    const { rig, a, b } = await machines({}, kind);
    rig.file('orders.jsonl', jsonLines(orders(2)));
    const batch = `${BATCH} --label --download labels`;
    expect(posted(await a(batch))).toHaveLength(4);
    expect(summary(await a(RESULTS))).toMatchObject({ taken: 0, known: 4 });
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 4, held: 0 });
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 0, known: 4 });
    expect(posted(await b(batch))).toEqual([]);
  });

  test('as unknown is settled when its machine knows more, and the batch is not refused any more', async () => {
    const { rig, a, b } = await machines(LOST, kind);
    rig.file('orders.jsonl', jsonLines(orders(1)));
    await a(BATCH);
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 1, unknown: 1 });
    // That machine knows more than its results.
    expect(summary(await a(RESULTS))).toMatchObject({ taken: 0, settled: 0, known: 1, held: 0 });
    await a('history resolve ORDER-1 --created S-1 --unchecked --reason phone');
    await a(BATCH);
    expect(errorOf(await b(BATCH)).code).toBe('duplicate');
    const ran = await b(RESULTS);
    expect([ran.exitCode, summary(ran)]).toMatchObject([0, { taken: 0, settled: 1, known: 0, held: 0 }]);
    expect(await listOf(b)).toMatchObject([
      {
        ...{ key: 'ORDER-1', state: 'created', shipmentIds: ['S-1'], exitCode: 0 },
        settlements: [{ state: 'created', reason: 'imported from orders.results.jsonl' }],
      },
    ]);
    expect(summary(await b(RESULTS))).toMatchObject({ settled: 0, known: 1 });
    const again = await b(BATCH);
    expect([again.exitCode, posted(again)]).toEqual([0, []]);
    await b('history resolve ORDER-1 --reopen');
    expect(await listOf(b)).toMatchObject([{ state: 'unknown', shipmentIds: [] }]);
  });

  test('is on no list here that it was on there, also where its label or its outcome is imported later', async () => {
    const { rig, a, b } = await machines({}, kind);
    rig.file('orders.jsonl', jsonLines(orders(3)));
    await a(BATCH);
    await a('batch label orders.jsonl');
    const [first, ...rest] = linesIn(rig);
    const open = { ...first, state: 'unknown', exitCode: 8, shipmentId: null, result: undefined };
    rig.file('early.jsonl', jsonLines([open, ...rest]));
    await b(`${IMPORT} early.jsonl --json`);
    rig.file('first.jsonl', jsonLines([first]));
    const settled = await b('history import first.jsonl --done handover --json');
    expect(summary(settled)).toMatchObject({ settled: 1 });
    const labels = linesIn(rig, 'orders.label.jsonl');
    rig.file('labels.jsonl', jsonLines(labels.map((line, index) => ({ ...line, handover: index < 2 }))));
    await b('history import labels.jsonl --done printed --json');
    expect(summary(await b('history handover --json --yes'))).toMatchObject([{ key: 'ORDER-3' }]);
    expect(summary(await b('history handover --again 1 --json'))).toMatchObject([{ key: 'ORDER-3' }]);
    expect((await b('history handover --leave ORDER-1')).stderr).toContain('on another machine');
    expect(summary(await b('history export --for csv --json'))).toHaveLength(3);
    expect((await b('label --unprinted --print')).programs).toEqual([]);
  });

  test('keeps its price when it is pruned, also where it was settled by a later import', async () => {
    const { rig, b } = await machines({}, kind);
    const made = { state: 'created', exitCode: 0, carrier: 'EXP', currency: 'EUR' };
    const first = { ...made, shipmentId: 'S-1', price: 12.4 };
    await imported(rig, b, first, { key: 'ORDER-2', state: 'unknown', exitCode: 8 });
    await imported(rig, b, first, { ...made, key: 'ORDER-2', shipmentId: 'S-2', price: 7.5 });
    const sums = async () => summary(await b('history summary --json'));
    const before = [expect.objectContaining({ shipments: 2, cost: { EUR: 19.9 }, withoutPrice: 0 })];
    expect(await sums()).toEqual(before);
    expect((await b('history prune ORDER-1 ORDER-2')).exitCode).toBe(0);
    expect(await sums()).toEqual(before);
  });

  test('of a key that two machines have booked is left out the second time, with both shipments: exit 9', async () => {
    const { rig, b } = await machines({}, kind);
    const first = { state: 'created', exitCode: 0, shipmentId: 'S-1' };
    expect(await imported(rig, b, first)).toMatchObject({ taken: 1 });
    const [{ id }] = await listOf(b);
    expect(await imported(rig, b, { ...first, shipmentId: 'S-2' })).toMatchObject({
      ...{ exit: 9, taken: 0, settled: 0, known: 0, held: 1 },
      leftOut: [{ key: 'ORDER-1', shipmentIds: ['S-2'], heldBy: id }],
    });
    for (const line of [first, { state: 'unknown', exitCode: 8 }])
      expect(await imported(rig, b, line)).toMatchObject({ known: 1, held: 0 });
    expect(await listOf(b)).toMatchObject([{ id, state: 'created', shipmentIds: ['S-1'] }]);
  });

  test('is left out where it was made, and a person resolved it here as not created', async () => {
    const { rig, b } = await machines({}, kind);
    const open = { state: 'unknown', exitCode: 8 };
    await imported(rig, b, open);
    await b('history resolve ORDER-1 --not-created --force --reason gone');
    expect(await imported(rig, b, open)).toMatchObject({ known: 1, held: 0 });
    const made = { state: 'created', exitCode: 0, shipmentId: 'S-1' };
    expect(await imported(rig, b, made)).toMatchObject({ exit: 9, known: 0, held: 1 });
  });

  test('of a label that is unknown here is settled if it was imported, else left out: exit 9', async () => {
    const { rig, b } = await machines(LOST, kind);
    const label = { operation: 'label', key: undefined, shipmentId: 'S-1' };
    const made = { ...label, state: 'created', exitCode: 0, trackingNumber: 'T-1' };
    const open = { ...label, state: 'unknown', exitCode: 8 };
    expect(await imported(rig, b, open)).toMatchObject({ taken: 1, unknown: 1 });
    expect(await imported(rig, b, made)).toMatchObject({ settled: 1, known: 0 });
    expect(await listOf(b)).toMatchObject([{ state: 'created', trackingNumbers: ['T-1'] }]);
    expect(await imported(rig, b, made)).toMatchObject({ settled: 0, known: 1 });

    const { booking, exitCode } = errorOf(await b('label --international S-2 --json'));
    expect(exitCode).toBe(8);
    const other = { ...made, shipmentId: 'S-2', trackingNumber: 'T-2' };
    expect(await imported(rig, b, other)).toMatchObject({ exit: 9, known: 0, held: 1 });
    await b(`history resolve ${booking} --created S-2 --unchecked`);
    expect(await imported(rig, b, other)).toMatchObject({ known: 1, held: 0 });
  });
});
