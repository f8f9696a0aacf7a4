// Imports of the results of a batch of another machine.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dualOrder, jsonLines, linesIn, order, orders } from '../../rig/batch.ts';
import { createRig, type Ran, type Rig } from '../../rig/command.ts';
import { machine } from '../../rig/journal.ts';
import { describeBoth, sharedPlace } from '../../rig/postgres.ts';
import { DUAL, errorOf, posted, SHIPMENT } from '../../rig/service.ts';

const IMPORT = 'history import --done none';
const RESULTS = `${IMPORT} orders.results.jsonl --json`;
const BATCH = 'batch ship orders.jsonl --json';

const summary = ({ stdout }: Ran) => JSON.parse(stdout);
/** Two machines at one service, with one folder to hand files over in. */
async function machines(options: Parameters<typeof createRig>[0] = {}) {
  const rig = await createRig(options);
  return { rig, a: machine(rig, 'a'), b: machine(rig, 'b') };
}

/** A line of results as a batch of another machine at the same service writes it. */
const lineAt = (rig: Rig, line: Record<string, unknown>) => ({
  operation: 'ship',
  place: rig.address,
  key: 'ORDER-1',
  line: 1,
  sandbox: false,
  ...line,
});

async function listOf(run: ReturnType<typeof machine>) {
  return JSON.parse((await run('history list --json')).stdout);
}

describe('The results of a batch', () => {
  test('are imported, and the batch sends its new records only, and makes the labels that are missing', async () => {
    const { rig, a, b } = await machines();
    rig.file('orders.jsonl', jsonLines(orders(3)));
    expect(posted(await a(BATCH))).toHaveLength(3);
    const refused = await b(BATCH);
    expect(errorOf(refused)).toMatchObject({ code: 'duplicate', exitCode: 2 });
    expect(errorOf(refused).message).toContain('waybill history import orders.results.jsonl');
    const ran = await b(RESULTS);
    expect([ran.exitCode, summary(ran)]).toEqual([
      0,
      expect.objectContaining({ taken: 3, known: 0, held: 0, unclear: [] }),
    ]);
    const again = await b(BATCH);
    expect([again.exitCode, posted(again)]).toEqual([0, []]);
    expect(summary(again)).toMatchObject({ sent: 0, already: 3, states: { created: 3 } });
    const FACTS = 'sort_by(@,&key)[].[key,operation,state,shipmentIds[0],carrier,price,currency,exitCode]';
    const { stdout } = await b(['history', 'list', '-o', 'text', '--query', FACTS]);
    expect(stdout).toContain('ORDER-3\tship\tcreated\t');
    expect(stdout).toBe((await a(['history', 'list', '-o', 'text', '--query', FACTS])).stdout);
    rig.file('orders.jsonl', jsonLines(orders(4)));
    expect(posted(await b(BATCH))).toHaveLength(1);
    expect(posted(await b(`${BATCH} --label`))).toEqual(Array(4).fill('POST /v2/carriers/create'));
  });

  test('reserve their keys for any input: it shows their answer and says why, and is a duplicate of a pair', async () => {
    const { rig, a, b } = await machines();
    rig.file('orders.jsonl', jsonLines(orders(1)));
    await a(BATCH);
    await b(RESULTS);
    for (const change of ['', '--category gift']) {
      const ran = await b(`ship -f - --key ORDER-1 --json ${change}`, { stdin: JSON.stringify(SHIPMENT) });
      expect([ran.exitCode, ran.requests]).toEqual([0, []]);
      expect(ran.stderr).toContain('imported from a results file');
    }
    rig.file('orders.jsonl', jsonLines([order('ORDER-1', { category: 'gift' })]));
    expect(posted(await b(BATCH))).toEqual([]);
    const pair = await b('ship-dual -f - --key ORDER-1 --json', { stdin: JSON.stringify(DUAL) });
    expect([pair.requests, errorOf(pair).code]).toEqual([[], 'duplicate']);
  });

  test('are left out where another order here has the shipment: it is told, and costs once', async () => {
    const { rig, a, b } = await machines();
    rig.file('orders.jsonl', jsonLines(orders(1)));
    await a(BATCH);
    const [line] = linesIn(rig);
    await b(RESULTS);
    const [{ id }] = await listOf(b);
    rig.file('orders.results.jsonl', jsonLines([{ ...line, key: 'OTHER' }]));
    const ran = await b(`${RESULTS} --no-sandbox`);
    expect([ran.exitCode, summary(ran)]).toEqual([
      9,
      expect.objectContaining({
        ...{ taken: 0, settled: 0, held: 1 },
        leftOut: [expect.objectContaining({ key: 'OTHER', heldBy: id, shipmentIds: [line?.shipmentId] })],
      }),
    ]);
    expect(errorOf(ran).message).toContain(
      `"OTHER", ${line?.shipmentId} (here ${id}). \`waybill history show ID --no-sandbox\` shows`,
    );
    expect((await listOf(b)).map(({ key }: { key: string }) => key)).toEqual(['ORDER-1']);
    expect(JSON.parse((await b('history summary --json')).stdout)).toMatchObject([
      { shipments: 1, cost: { EUR: line?.price } },
    ]);
  });

  test('as CSV are guarded as well, but are not imported: the batch writes them as JSON lines where its journal is', async () => {
    const { rig, a, b } = await machines();
    rig.file('orders.jsonl', jsonLines(orders(3)));
    const batch = `${BATCH} --results ends.csv`;
    expect(posted(await a(batch))).toHaveLength(3);
    const refused = await b(batch);
    expect([refused.exitCode, refused.requests]).toEqual([2, []]);
    expect(errorOf(refused).message).toContain('run the batch there again with --results FILE.jsonl');
    const ran = await b('history import ends.csv --json');
    expect([ran.exitCode, ran.stdout, errorOf(ran).message]).toEqual([
      2,
      '',
      expect.stringContaining('Journals and results in CSV are not imported'),
    ]);
    expect(posted(await a(`${BATCH} --results all.jsonl`))).toEqual([]);
    expect((await b(`${IMPORT} all.jsonl`)).exitCode).toBe(0);
    expect(posted(await b(batch))).toEqual([]);
  });

  test.each([
    ['ship', orders(2)],
    ['ship-dual', [dualOrder('P-1'), dualOrder('P-2')]],
  ])('of labels have the keys of %s: no shipment and no label is made again', async (operation, records) => {
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
  });

  test('of a run that was interrupted before a label have its shipment: it is not booked again', async () => {
    const { rig, a, b } = await machines();
    rig.file('orders.jsonl', jsonLines(orders(2)));
    const batch = `${BATCH} --label --concurrency 1`;
    const first = await a(batch, {
      onRequest: ({ path }, { interrupt }) => {
        if (path === '/v1/shipments') interrupt('SIGINT');
      },
    });
    expect([first.exitCode, posted(first)]).toEqual([130, ['POST /v1/shipments']]);
    expect(errorOf(await b(batch))).toMatchObject({ code: 'duplicate', exitCode: 2 });
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 1, unknown: 0 });
    const ran = await b(batch);
    const [ship, label] = ['POST /v1/shipments', 'POST /v2/carriers/create'];
    expect([ran.exitCode, posted(ran)]).toEqual([0, [label, ship, label]]);
  });

  test('with a price that was accepted there are accepted here, by its actor or by the file', async () => {
    const { rig, b } = await machines();
    const dear = (number: number, more: object) =>
      lineAt(rig, {
        ...{ state: 'created', overPrice: true, exitCode: 0 },
        ...{ key: `ORDER-${number}`, shipmentId: `S-${number}`, ...more },
      });
    const half = { operation: 'ship-dual', state: 'partial' };
    const lines = [
      ...[dear(1, { actor: 'Ann' }), dear(2, {}), dear(3, { exitCode: 11 })],
      dear(4, { ...half, domesticShipmentId: 'D-4', exitCode: 9 }),
      dear(5, { ...half, domesticShipmentId: 'D-5', exitCode: 11 }),
    ];
    rig.file('orders.results.jsonl', jsonLines(lines));
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 5 });
    const rows = [...(await listOf(b))].reverse();
    expect(rows).toMatchObject([
      { exitCode: 0, settlements: [{ state: 'accepted', by: 'Ann' }] },
      { exitCode: 0, settlements: [{ state: 'accepted', by: 'results file' }] },
      { exitCode: 11, settlements: [] },
      { exitCode: 9, settlements: [{ state: 'accepted', by: 'results file' }] },
      { exitCode: 11, settlements: [] },
    ]);
  });

  test('of an order that was cancelled there is cancelled here: it has no costs and gets no label', async () => {
    const { rig, a, b } = await machines();
    rig.file('orders.jsonl', jsonLines(orders(2)));
    await a(BATCH);
    await a('history cancelled ORDER-1 --reason phone');
    expect((await a(BATCH)).exitCode).toBe(9);
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 2, unknown: 0 });
    expect([...(await listOf(b))].sort((one, other) => one.key.localeCompare(other.key))).toMatchObject([
      { key: 'ORDER-1', state: 'cancelled' },
      { key: 'ORDER-2', state: 'created' },
    ]);
    const label = await b('label ORDER-1 --json');
    expect([errorOf(label).code, posted(label)]).toEqual(['duplicate', []]);
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 0, known: 2 });
    // Its line is no booking that this journal does not know.
    const again = await b(BATCH);
    expect([again.exitCode, posted(again)]).toEqual([9, []]);
  });

  test('of one leg that was cancelled there are partial again if that is taken back', async () => {
    const { rig, b } = await machines();
    const leg = { operation: 'ship-dual', state: 'duplicate', exitCode: 2, shipmentId: 'S-1' };
    rig.file('orders.results.jsonl', jsonLines([lineAt(rig, leg)]));
    await b(RESULTS);
    await b('history cancelled ORDER-1 --reopen');
    expect(await listOf(b)).toMatchObject([{ state: 'partial', exitCode: 9 }]);
  });

  test('that are unknown there are unknown here, and can be resolved', async () => {
    const { rig, a, b } = await machines({ faults: [{ kind: 'reset-after', probability: 1 }] });
    rig.file('orders.jsonl', jsonLines(orders(1)));
    expect((await a(BATCH)).exitCode).toBe(8);
    const imported = await b(`${RESULTS} --no-sandbox`);
    expect(summary(imported)).toMatchObject({ taken: 1, unknown: 1 });
    expect(imported.stderr).toContain('`waybill history list --state unknown --no-sandbox` lists them');
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 0, known: 1, held: 0 });
    // That machine knows more than its results.
    expect(summary(await a(RESULTS))).toMatchObject({ taken: 0, settled: 0, known: 1, held: 0 });
    const ran = await b(BATCH);
    expect([ran.exitCode, ran.requests]).toEqual([8, []]);
    expect((await b('history resolve ORDER-1 --not-created --force --reason gone --yes')).exitCode).toBe(0);
  });

  test.each<[string, object, number]>([
    ['duplicate', { taken: 1, unknown: 1 }, 0],
    ...['rejected', 'not_sent', 'invalid', 'failed', 'estimated'].map((state): [string, object, number] => [
      state,
      { taken: 0, unclear: [] },
      1,
    ]),
  ])('of a record that is %s are %j: only what may exist reserves its key', async (state, counts, sent) => {
    const { rig, b } = await machines();
    const read = { operation: 'track', state: 'done', exitCode: 0, shipmentId: 'S-1' };
    rig.file('orders.results.jsonl', jsonLines([lineAt(rig, { state }), lineAt(rig, read)]));
    const ran = await b(RESULTS);
    expect([ran.exitCode, summary(ran)]).toEqual([0, expect.objectContaining(counts)]);
    rig.file('orders.jsonl', jsonLines(orders(1)));
    expect(posted(await b(BATCH))).toHaveLength(sent);
  });

  test('give the shipment of a mended record without a key the key of its order, which is not booked again', async () => {
    const { rig, a, b } = await machines();
    const { key: _, ...unnamed } = order('NEW');
    rig.file('orders.jsonl', jsonLines([unnamed]));
    await a(`${BATCH} --failed failed.jsonl`);
    rig.file(
      'fixed.jsonl',
      jsonLines([{ ...JSON.parse(readFileSync(join(rig.folder, 'failed.jsonl'), 'utf8')), key: 'NEW' }]),
    );
    const fixed = 'batch ship fixed.jsonl --json';
    expect(posted(await a(fixed))).toHaveLength(1);
    expect(summary(await a(BATCH))).toMatchObject({ mended: 1 });
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 1 });
    expect(summary(await b(`${IMPORT} fixed.results.jsonl --json`))).toMatchObject({
      taken: 0,
      known: 1,
    });
    expect(await listOf(b)).toMatchObject([{ key: 'NEW', state: 'created' }]);
    expect(posted(await b(fixed))).toEqual([]);
  });

  test('of the labels of two legs with one number are two claims', async () => {
    const { rig, b } = await machines();
    const label = { operation: 'label', key: undefined, state: 'created', exitCode: 0 };
    const lines = [
      { ...label, shipmentId: '7', trackingNumber: 'T-1' },
      { ...label, domesticShipmentId: '7', domesticTrackingNumber: 'T-2' },
    ];
    rig.file('labels.jsonl', jsonLines(lines.map(line => lineAt(rig, line))));
    expect(summary(await b(`${IMPORT} labels.jsonl --json`))).toMatchObject({ taken: 2, known: 0 });
    expect(posted(await b('label --international 7 --domestic 7'))).toEqual([]);
  });

  test('with a line that a power cut has torn are imported without that line: exit 9', async () => {
    const { rig, a, b } = await machines();
    rig.file('orders.jsonl', jsonLines(orders(2)));
    await a(BATCH);
    const file = join(rig.folder, 'orders.results.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, -40));
    const ran = await b(RESULTS);
    expect([ran.exitCode, summary(ran)]).toEqual([9, expect.objectContaining({ taken: 1, unclear: [2] })]);
    expect(errorOf(ran).message).toContain('Line 2');
  });

  test('are imported only in the place that they name, which is told with the command that does it: exit 2', async () => {
    const { rig, a, b } = await machines();
    rig.file('orders.jsonl', jsonLines(orders(1)));
    const shop = {
      baseUrl: rig.address,
      account: 'ACME account 7',
      credentials: { kind: 'token', token: 'demo' },
    };
    rig.file('config/config.json', { profiles: { other: { ...shop, account: 'ACME' }, shop } });
    const made = `${rig.address} account ACME account 7`;
    expect((await a(`${BATCH} --profile shop`)).exitCode).toBe(0);
    expect(linesIn(rig)[0]).toMatchObject({ place: made, sandbox: false });
    for (const where of ['', '--sandbox', '--profile other', '--profile demo']) {
      const ran = await b(`${RESULTS} ${where}`);
      expect([ran.exitCode, ran.stdout, errorOf(ran).message]).toEqual([
        2,
        '',
        `orders.results.jsonl has the results of bookings at ${made}, which is not that of this command; nothing was imported. To import them there, run \`waybill history import orders.results.jsonl --done none --profile shop\``,
      ]);
    }
    const nowhere = { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' };
    const ran = await b(RESULTS, { env: nowhere });
    expect([ran.exitCode, errorOf(ran).message]).toEqual([2, expect.stringContaining('--profile shop')]);
    expect((await b(`${RESULTS} --profile shop`)).exitCode).toBe(0);
    expect(posted(await b(`${BATCH} --profile shop`))).toEqual([]);
  });
});

test.each([
  ['a missing file', undefined],
  ['an order file', '{"sender":{}}\n'],
  ['text', 'hello\nworld\n'],
  ['nothing', ''],
  ['results without a place', '{"operation":"ship","key":"A","line":1,"state":"created"}\n'],
  ['results without an operation', '{"place":"PLACE","key":"A","line":1,"state":"created"}\n'],
  [
    'results with a line of something else',
    '{"operation":"ship","place":"PLACE","key":"A","line":1,"state":"created"}\n{"a":1}\n',
  ],
])('%s is refused before anything is taken: exit 2', async (_, content) => {
  const { rig, b } = await machines();
  if (content !== undefined) rig.file('file', content.replace('PLACE', rig.address));
  const ran = await b('history import file --json');
  expect([ran.exitCode, ran.stdout, errorOf(ran).code]).toEqual([2, '', 'usage']);
  expect(existsSync(join(rig.folder, 'b/journal.db'))).toBe(false);
});

describeBoth('What is imported', kind => {
  test('keeps keys and claims of labels in either kind of journal, and is known there and here afterwards', async () => {
    const { rig, a } = await machines();
    const place = kind === 'shared' ? { WAYBILL_JOURNAL: (await sharedPlace()).address } : {};
    const b = (argv: string | string[]) => machine(rig, 'b')(argv, { env: place });
    rig.file('orders.jsonl', jsonLines(orders(2)));
    const batch = `${BATCH} --label --download labels`;
    expect(posted(await a(batch))).toHaveLength(4);
    expect(summary(await a(RESULTS))).toMatchObject({ taken: 0, known: 4 });
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 4, held: 0 });
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 0, known: 4 });
    expect(posted(await b(batch))).toEqual([]);
  });

  /** Runs commands as the machine that imports. */
  async function importer(rig: Rig) {
    const place = kind === 'shared' ? { WAYBILL_JOURNAL: (await sharedPlace()).address } : {};
    return (argv: string | string[]) => machine(rig, 'b')(argv, { env: place });
  }

  test('as unknown is settled when its machine knows more, and the batch is not refused any more', async () => {
    const { rig, a } = await machines({ faults: [{ kind: 'reset-after', probability: 1 }] });
    const b = await importer(rig);
    rig.file('orders.jsonl', jsonLines(orders(1)));
    await a(BATCH);
    expect(summary(await b(RESULTS))).toMatchObject({ taken: 1, unknown: 1 });
    await a('history resolve ORDER-1 --created S-1 --unchecked --reason phone');
    await a(BATCH);
    expect(errorOf(await b(BATCH)).code).toBe('duplicate');
    const ran = await b(RESULTS);
    expect([ran.exitCode, summary(ran)]).toEqual([
      0,
      expect.objectContaining({ taken: 0, settled: 1, known: 0, held: 0 }),
    ]);
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
    const { rig, a } = await machines();
    const b = await importer(rig);
    rig.file('orders.jsonl', jsonLines(orders(3)));
    await a(BATCH);
    await a('batch label orders.jsonl');
    const [first, ...rest] = linesIn(rig);
    const open = { ...first, state: 'unknown', exitCode: 8, shipmentId: null, result: undefined };
    rig.file('early.jsonl', jsonLines([open, ...rest]));
    expect(summary(await b(`${IMPORT} early.jsonl --json`))).toMatchObject({ taken: 3, unknown: 1 });
    rig.file('first.jsonl', jsonLines([first]));
    const settled = await b('history import first.jsonl --done handover --json');
    expect(summary(settled)).toMatchObject({ settled: 1 });
    const labels = linesIn(rig, 'orders.label.jsonl').map((line, index) => ({
      ...line,
      handover: index < 2,
    }));
    rig.file('labels.jsonl', jsonLines(labels));
    const imported = await b('history import labels.jsonl --done printed --json');
    expect(summary(imported)).toMatchObject({ taken: 3, known: 3 });
    const listed = await b('history handover --json --yes');
    expect(summary(listed)).toMatchObject([{ key: 'ORDER-3' }]);
    expect(summary(await b('history handover --again --json'))).toMatchObject([{ key: 'ORDER-3' }]);
    expect(errorOf(await b('history handover --leave ORDER-1 --json')).message).toContain(
      'on another machine',
    );
    expect(summary(await b('history export --for csv --json'))).toHaveLength(3);
    expect((await b('label --unprinted --print')).programs).toEqual([]);
  });

  test('keeps its price when it is pruned, also where it was settled by a later import', async () => {
    const { rig } = await machines();
    const b = await importer(rig);
    const made = { state: 'created', exitCode: 0, carrier: 'EXP', currency: 'EUR' };
    const second = lineAt(rig, { ...made, key: 'ORDER-2', shipmentId: 'S-2', price: 7.5 });
    const first = lineAt(rig, { ...made, shipmentId: 'S-1', price: 12.4 });
    const open = lineAt(rig, { key: 'ORDER-2', state: 'unknown', exitCode: 8 });
    for (const lines of [
      [first, open],
      [first, second],
    ]) {
      rig.file('orders.results.jsonl', jsonLines(lines));
      await b(RESULTS);
    }
    const sums = async () => JSON.parse((await b('history summary --json')).stdout);
    const before = [expect.objectContaining({ shipments: 2, cost: { EUR: 19.9 }, withoutPrice: 0 })];
    expect(await sums()).toEqual(before);
    expect((await b('history prune ORDER-1 ORDER-2')).exitCode).toBe(0);
    expect(await sums()).toEqual(before);
  });

  test('of a key that two machines have booked is left out the second time, with both shipments: exit 9', async () => {
    const { rig } = await machines();
    const b = await importer(rig);
    const importOf = async (line: object) => {
      rig.file('orders.results.jsonl', jsonLines([lineAt(rig, { exitCode: 0, ...line })]));
      const ran = await b(RESULTS);
      return { ran, counts: summary(ran) };
    };
    const first = { state: 'created', shipmentId: 'S-1' };
    expect((await importOf(first)).counts).toMatchObject({ taken: 1 });
    const [{ id }] = await listOf(b);
    const left = { taken: 0, settled: 0, known: 0, held: 1 };
    const { ran, counts } = await importOf({ ...first, shipmentId: 'S-2' });
    expect([ran.exitCode, counts]).toEqual([9, expect.objectContaining(left)]);
    expect(errorOf(ran).message).toContain(`"ORDER-1", S-2 (here ${id})`);
    for (const line of [first, { state: 'unknown', exitCode: 8 }])
      expect((await importOf(line)).counts).toMatchObject({ known: 1, held: 0 });
    expect(await listOf(b)).toMatchObject([{ id, state: 'created', shipmentIds: ['S-1'] }]);
  });

  test('is left out where it was made, and a person resolved it here as not created', async () => {
    const { rig } = await machines();
    const b = await importer(rig);
    rig.file('orders.results.jsonl', jsonLines([lineAt(rig, { state: 'unknown', exitCode: 8 })]));
    await b(RESULTS);
    await b('history resolve ORDER-1 --not-created --force --reason gone');
    expect(summary(await b(RESULTS))).toMatchObject({ known: 1, held: 0 });
    const made = { state: 'created', exitCode: 0, shipmentId: 'S-1' };
    rig.file('orders.results.jsonl', jsonLines([lineAt(rig, made)]));
    const ran = await b(RESULTS);
    expect([ran.exitCode, summary(ran)]).toEqual([9, expect.objectContaining({ known: 0, held: 1 })]);
  });

  test('of a label that is unknown here is settled if it was imported, else left out: exit 9', async () => {
    const { rig } = await machines({ faults: [{ kind: 'reset-after', probability: 1 }] });
    const b = await importer(rig);
    const label = { operation: 'label', key: undefined, shipmentId: 'S-1' };
    const importOf = (line: object) => {
      rig.file('orders.results.jsonl', jsonLines([lineAt(rig, { ...label, ...line })]));
      return b(RESULTS);
    };
    const made = { state: 'created', exitCode: 0, trackingNumber: 'T-1' };
    expect(summary(await importOf({ state: 'unknown', exitCode: 8 }))).toMatchObject({
      taken: 1,
      unknown: 1,
    });
    expect(summary(await importOf(made))).toMatchObject({ settled: 1, known: 0 });
    expect(await listOf(b)).toMatchObject([{ state: 'created', trackingNumbers: ['T-1'] }]);
    expect(summary(await importOf(made))).toMatchObject({ settled: 0, known: 1 });

    const { booking, exitCode } = errorOf(await b('label --international S-2 --json'));
    expect(exitCode).toBe(8);
    const other = { ...made, shipmentId: 'S-2', trackingNumber: 'T-2' };
    const ran = await importOf(other);
    expect([ran.exitCode, summary(ran)]).toEqual([9, expect.objectContaining({ known: 0, held: 1 })]);
    await b(`history resolve ${booking} --created S-2 --unchecked`);
    expect(summary(await importOf(other))).toMatchObject({ known: 1, held: 0 });
  });

  test('is not the journal of another machine: exit 2, and nothing is made', async () => {
    const { rig, a } = await machines();
    const place = kind === 'shared' ? { WAYBILL_JOURNAL: (await sharedPlace()).address } : {};
    rig.file('orders.jsonl', jsonLines(orders(1)));
    await a(BATCH);
    const ran = await machine(rig, 'b')('history import a/journal.db --json', { env: place });
    expect([ran.exitCode, ran.stdout, errorOf(ran).message]).toEqual([
      2,
      '',
      expect.stringContaining('Journals and results in CSV are not imported'),
    ]);
    expect(existsSync(join(rig.folder, 'b/journal.db'))).toBe(false);
  });
});
