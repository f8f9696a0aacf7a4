// Shipments with their labels, and labels of shipments that are booked: each label is made once.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SeenRequest } from '../../../src/emulator/server.ts';
import { parseFault } from '../../../src/emulator/settings.ts';
import {
  created,
  dualOrder,
  ends,
  jsonLines,
  keys,
  linesIn,
  orders,
  scriptedService,
  shop,
  summaryOf,
} from '../../rig/batch.ts';
import type { Ran } from '../../rig/command.ts';
import { labelledBy, PDF, png, sizesIn } from '../../rig/labels.ts';
import { describeBoth } from '../../rig/postgres.ts';
import { cannedService, errorOf, sent, switchable } from '../../rig/service.ts';

const SHIP = 'batch ship orders.jsonl --json';
const LABELLED = `${SHIP} --label --download labels`;

const count = (ran: Ran, path: string) => sent(ran).filter(one => one === `POST ${path}`).length;
/** How a run ended, and how many shipments and labels it asked for. */
const did = (ran: Ran) => [ran.exitCode, count(ran, '/v1/shipments'), count(ran, '/v2/carriers/create')];

/** The label of an order is lost on its way back, or fails in another way; its shipment is not. */
const onLabels =
  (turn: (to: 'on' | 'off') => void) =>
  ({ path }: SeenRequest) =>
    turn(path === '/v1/shipments' ? 'on' : 'off');

describeBoth('ship --label --download', journal => {
  test('saves each label under its key; again it sends nothing, and restores a file that is gone', async () => {
    const rig = await shop(orders(3), { journal });
    expect(did(await rig.run(LABELLED))).toEqual([0, 3, 3]);
    const before = linesIn(rig);
    const path = join(rig.folder, 'labels', 'ORDER-2.pdf');
    const bytes = readFileSync(path);
    rmSync(path);
    const ran = await rig.run(LABELLED);
    expect(did(ran)).toEqual([0, 0, 0]);
    expect(summaryOf(ran)).toMatchObject({ sent: 0, already: 3, states: { created: 3 }, cost: {} });
    expect(readFileSync(path)).toEqual(bytes);
    const facts = ({ key, shipmentId, trackingNumber, labelFile }: (typeof before)[number]) =>
      [key, shipmentId, trackingNumber, labelFile].join(' ');
    expect(linesIn(rig).map(facts).sort()).toEqual(before.map(facts).sort());
  });

  test('of a label that may have been made is partial, exit 8: neither is sent again', async () => {
    const { turn, ...faulty } = switchable('reset-after');
    const rig = await shop(orders(1), { journal, ...faulty });
    const ran = await rig.run(LABELLED, { onRequest: onLabels(turn) });
    expect(did(ran)).toEqual([8, 1, 1]);
    expect(linesIn(rig)).toMatchObject([
      { state: 'partial', sent: true, shipmentId: expect.stringMatching(/./) },
    ]);
    expect(summaryOf(ran)).toMatchObject({ states: { partial: 1 }, shipments: 1, labels: 0 });
    expect(errorOf(ran)).toMatchObject({
      code: 'outcome_unknown',
      issues: [{ message: expect.stringContaining('its label may exist') }],
    });
    turn('off');
    const again = await rig.run(LABELLED);
    expect(did(again)).toEqual([8, 0, 0]);
    expect(summaryOf(again)).toMatchObject({ shipments: 0, before: { shipments: 1, labels: 0 } });
    const [{ id, operation }] = await rig.json('history list --state unknown');
    expect(operation).toBe('label');
    await rig.run(['history', 'resolve', id, '--not-created', '--force', '--reason', 'gone']);
    expect(did(await rig.run(LABELLED))).toEqual([0, 0, 1]);
    expect(ends(linesIn(rig))).toEqual(['ORDER-1 created 0 false']);
  });

  test('stops after --max-unknown labels that become unknown; those of an earlier run do not count', async () => {
    const { turn, ...faulty } = switchable('reset-after');
    const rig = await shop(orders(4), { journal, ...faulty });
    expect((await rig.run(SHIP)).exitCode).toBe(0);
    turn('on');
    const ran = await rig.run(`${SHIP} --label --concurrency 1 --max-unknown 2`);
    expect(did(ran)).toEqual([8, 0, 2]);
    expect(summaryOf(ran)).toMatchObject({
      ...{ stopped: 'unknown', states: { partial: 2, created: 2 } },
      before: { shipments: 4 },
    });
    turn('off');
    const again = await rig.run(`${SHIP} --label --concurrency 1 --max-unknown 1`);
    expect(did(again)).toEqual([8, 0, 2]);
    expect(summaryOf(again)).toMatchObject({ states: { partial: 2, created: 2 }, stopped: null });
  });

  test('that is interrupted before a label is partial: the shipment counts, and the next run makes the label', async () => {
    const rig = await shop(orders(3), { journal });
    const ran = await rig.run(`${LABELLED} --concurrency 1`, {
      onRequest: ({ path }, { interrupt }) => {
        if (path === '/v1/shipments') interrupt('SIGINT');
      },
    });
    expect(did(ran)).toEqual([130, 1, 0]);
    const lines = linesIn(rig);
    expect(ends(lines)).toEqual([
      'ORDER-1 partial 130 true',
      'ORDER-2 not_sent null false',
      'ORDER-3 not_sent null false',
    ]);
    expect(lines.map(({ shipmentId }) => shipmentId)).toEqual([expect.stringMatching(/\w/), null, null]);
    expect(summaryOf(ran)).toMatchObject({ shipments: 1, labels: 0, sent: 1 });
    expect(did(await rig.run(LABELLED))).toEqual([0, 2, 3]);
  });
});

test('ship-dual books pairs: a line has both ids and both numbers, and a label that was made before is counted', async () => {
  const rig = await shop([dualOrder('A'), dualOrder('B')]);
  const pairs = 'batch ship-dual orders.jsonl --label --download labels';
  const ran = await rig.run(pairs);
  expect([ran.exitCode, count(ran, '/v2/shipments')]).toEqual([0, 2]);
  const some = expect.stringMatching(/\w/);
  for (const line of linesIn(rig)) {
    expect(line).toMatchObject({ shipmentId: some, domesticShipmentId: some });
    expect(line).toMatchObject({ trackingNumber: some, domesticTrackingNumber: some });
    expect(line.labelFile).toContain(line.key);
  }
  expect(await rig.run(pairs)).toMatchObject({ exitCode: 0, requests: [] });
  rig.file('other.jsonl', jsonLines([dualOrder('C')]));
  await rig.run('batch ship-dual other.jsonl');
  await rig.run(['label', '--international', linesIn(rig, 'other.results.jsonl')[0]?.shipmentId ?? '']);
  const labels = await rig.run('batch label other.jsonl --json');
  expect(did(labels)).toEqual([0, 0, 1]);
  expect(summaryOf(labels)).toMatchObject({ labels: 1, before: { labels: 1 } });
});

test('A pair of which a leg has no label is partial, and stays partial: it is not booked again', async () => {
  const rig = await shop([dualOrder('A')], { faults: [parseFault('label-domestic:1')] });
  for (const sent of [true, false]) {
    const ran = await rig.run('batch ship-dual orders.jsonl --label');
    expect([ran.exitCode, ran.requests.length > 0]).toEqual([9, sent]);
    const [line] = linesIn(rig);
    expect(ends(linesIn(rig))).toEqual([`A partial 9 ${sent}`]);
    expect(line?.error?.next).toEqual([['waybill', 'label', '--domestic', line?.domesticShipmentId]]);
  }
});

test('A line with labels of some MiB is read by the next run, and by history import on another machine', async () => {
  const labelPdf = Buffer.concat([PDF, Buffer.alloc(2 * 1024 * 1024, ' '), Buffer.from('%%EOF\n')]).toString(
    'base64',
  );
  const leg = (id: string) => ({
    shipment: { id },
    label: { success: true, trackingNumber: `T${id}`, labelPdf },
  });
  const body = { success: true, international: leg('I-1'), domestic: leg('D-1') };
  const { env, seen } = await cannedService({ '/v2/shipments': { status: 201, body } });
  const rig = await shop([dualOrder('A')], { env });
  for (const _again of [1, 2]) {
    const ran = await rig.run('batch ship-dual orders.jsonl --label');
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.not.stringContaining('not a results file')]);
  }
  expect(seen).toEqual(['POST /v2/shipments']);
  const ran = await rig.run('history import orders.results.jsonl --done none --json', {
    env: { ...env, WAYBILL_STATE_DIR: join(rig.folder, 'elsewhere') },
  });
  expect([ran.exitCode, JSON.parse(ran.stdout)], ran.stderr).toMatchObject([0, { taken: 2 }]);
});

test('batch label makes each label once, by a key or an id, also if the file has it twice', async () => {
  const rig = await shop(orders(2));
  await rig.run(`${SHIP} --concurrency 1`);
  const [first = null, second = null] = linesIn(rig).map(({ shipmentId }) => shipmentId);
  rig.file(
    'labels.jsonl',
    jsonLines([
      { key: 'ORDER-1' },
      { international: second },
      { key: 'other', international: second },
      { international: 'NONE' },
    ]),
  );
  const label = 'batch label labels.jsonl --download labels --concurrency 1';
  const ran = await rig.run(label);
  expect(did(ran)).toEqual([9, 0, 3]);
  const lines = linesIn(rig, 'labels.label.jsonl');
  expect(lines.map(({ line, state, sent }) => `${line} ${state} ${sent}`)).toEqual([
    '1 created true',
    '2 created true',
    '3 created false',
    '4 rejected true',
  ]);
  const labelFile = join(rig.folder, 'labels', 'ORDER-1.pdf');
  expect(lines[0]).toMatchObject({
    shipmentId: first,
    trackingNumber: expect.stringMatching(/./),
    labelFile,
  });
  rig.file('labels.jsonl', jsonLines([...keys(2).map(key => ({ key })), { international: first }]));
  for (const _again of [1, 2]) {
    expect(did(await rig.run(label))).toEqual([0, 0, 0]);
    expect(linesIn(rig, 'labels.label.jsonl').map(({ sent }) => sent)).toEqual([false, false, false]);
  }
});

test('batch label --dry-run counts labels that are made, and those that would be, and lists keys that were never booked', async () => {
  const rig = await shop(orders(3));
  await rig.run(SHIP);
  await rig.run('label ORDER-1 ORDER-2');
  rig.file('labels.jsonl', jsonLines(keys(3).map(key => ({ key }))));
  const dry = 'batch label labels.jsonl --dry-run';
  expect((await rig.run(dry)).stdout).toBe(
    'Records        3\n- created      2\nWould be sent  1\nBooked before  2 labels\n',
  );
  const [id] = (await rig.json('history show ORDER-1')).shipmentIds;
  rig.file('labels.jsonl', jsonLines([{ key: 'NEVER' }, { international: id }, { international: 'S-1' }]));
  const ran = await rig.run(`${dry} --json`);
  expect(ran).toMatchObject({ exitCode: 9, requests: [] });
  expect(summaryOf(ran)).toMatchObject({ toSend: 1, already: 1, states: { created: 1, rejected: 1 } });
  expect(errorOf(ran).issues).toMatchObject([{ path: 'line 1, NEVER' }]);
});

test('--dry-run --label counts the orders whose labels exist, those whose labels are missing, and one whose label may exist', async () => {
  const { turn, ...faulty } = switchable('reset-after');
  const rig = await shop(orders(4), faulty);
  await rig.run(SHIP);
  await rig.run('label ORDER-1 ORDER-2');
  turn('on');
  await rig.run('label ORDER-3');
  const ran = await rig.run(`${SHIP} --label --dry-run`);
  expect(ran).toMatchObject({ exitCode: 8, requests: [] });
  expect(summaryOf(ran)).toMatchObject({
    ...{ records: 4, sent: 0, toSend: 1, already: 2, states: { created: 2, partial: 1 } },
    before: { shipments: 3, labels: 2 },
  });
});

test('batch label makes none of a shipment above its bound until a person accepts it', async () => {
  const rig = await shop(orders(2));
  const { env, paths } = await scriptedService(key => created(key, key === 'ORDER-1' ? 499 : 12));
  const run = (argv: string) => rig.run(argv, { env });
  await run(`${SHIP} --max-price 60EUR --max-overpriced 2`);
  const dry = await run('batch label orders.jsonl --dry-run --json');
  expect([dry.exitCode, summaryOf(dry)]).toMatchObject([11, { toSend: 1, already: 0 }]);
  for (const sent of [true, false]) {
    const ran = await run('batch label orders.jsonl --json');
    expect([ran.exitCode, summaryOf(ran).states]).toEqual([11, { created: 1, not_sent: 1 }]);
    const lines = linesIn(rig, 'orders.label.jsonl');
    expect(ends(lines)).toEqual(['ORDER-1 not_sent 11 false', `ORDER-2 created 0 ${sent}`]);
    expect(lines.find(({ key }) => key === 'ORDER-1')?.error?.created).toBe(false);
  }
  rig.file('ids.jsonl', jsonLines(linesIn(rig).map(({ shipmentId }) => ({ international: shipmentId }))));
  const { message } = errorOf(await run('batch label ids.jsonl --dry-run --json'));
  expect(message).toMatch(/`waybill history accept bk_\w+`/);
  await run('history accept ORDER-1 --reason ok');
  expect((await run('batch label orders.jsonl')).exitCode).toBe(0);
  expect(paths.filter(path => path.endsWith('/create'))).toHaveLength(2);
});

test('Labels that fail by the service, one after the other, stop a run before it books more shipments without one', async () => {
  const { turn, ...faulty } = switchable('401');
  const rig = await shop(orders(9), faulty);
  const ran = await rig.run(`${LABELLED} --concurrency 1`, { onRequest: onLabels(turn) });
  expect(errorOf(ran)).toMatchObject({ exitCode: 3 });
  expect(summaryOf(ran)).toMatchObject({ shipments: 5, labels: 0, states: { partial: 5, not_sent: 4 } });
});

/** Pictures whose widths on the page tell them apart: 10, 20, 30, … points. */
const picture = (number: number) => png(number * 10, 10, 72);
const widthsIn = async (path: string) => (await sizesIn(path)).map(([width]) => width);
const LABELS = { 'S-1': picture(1), 'S-2': picture(2), 'S-3': picture(3), 'S-4': picture(4) };

test('batch label --merge is one PDF in the order of the file and not of finishing, and prints the new ones alone', async () => {
  const { rig, posts } = await labelledBy(LABELS, { last: 'S-3' });
  const merge = 'batch label keys.csv --merge today.pdf --print';
  const path = join(rig.folder, 'today.pdf');
  rig.file('keys.csv', 'key\nK3\nK1\nK4\nK2\n');
  const ran = await rig.run(merge);
  expect([ran.exitCode, await widthsIn(path)]).toEqual([0, [30, 10, 40, 20]]);
  expect(ran.programs).toEqual([['lp', path]]);
  const rerun = await rig.run(merge);
  expect([rerun.programs, await widthsIn(path)]).toEqual([[], [30, 10, 40, 20]]);
  expect(rerun.stderr).toContain('`waybill label --print --reprint K3 K1 K4 K2` prints them');
  expect((await rig.run(`${merge} --reprint`)).programs).toEqual([['lp', path]]);
  expect(posts()).toBe(4);
});
