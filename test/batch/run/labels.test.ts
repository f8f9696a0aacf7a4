// Shipments with their labels, and labels of shipments that are booked: each label is made once.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SeenRequest } from '../../../src/emulator/server.ts';
import { parseFault } from '../../../src/emulator/settings.ts';
import {
  created,
  dualOrder,
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
import { createRig, type Ran, type Rig } from '../../rig/command.ts';
import { labelledBy, PDF, png, sizesIn } from '../../rig/labels.ts';
import { describeBoth } from '../../rig/postgres.ts';
import { cannedService, errorOf, SHIPMENT, sent, switchable } from '../../rig/service.ts';

const SHIP = 'batch ship orders.jsonl';
const LABELLED = `${SHIP} --label --download labels`;

const count = (ran: Ran, path: string) => sent(ran).filter(one => one === `POST ${path}`).length;
const shipped = (ran: Ran) => count(ran, '/v1/shipments');
const labelled = (ran: Ran) => count(ran, '/v2/carriers/create');

/** Orders whose shipment passes and whose label is lost on its way back, or fails in another way, one after the other. */
async function labelsInDoubt(count: number, fault = 'reset-after') {
  const { faults, random, turn } = switchable(fault);
  const rig = await shop(orders(count), { faults, random });
  const unlabelled = ({ path }: SeenRequest) => turn(path === '/v1/shipments' ? 'on' : 'off');
  return { rig, unlabelled };
}

describeBoth('ship --label --download', journal => {
  test('books, makes each label and saves it under the key', async () => {
    const rig = await shop(orders(5), { journal });
    const ran = await rig.run(`${LABELLED} --json`);
    expect([ran.exitCode, shipped(ran), labelled(ran)]).toEqual([0, 5, 5]);
    for (const { key, state, labelFile, trackingNumber, result } of linesIn(rig)) {
      expect([state, labelFile]).toEqual(['created', join(rig.folder, 'labels', `${key}.pdf`)]);
      expect(trackingNumber).toMatch(/\w/);
      expect(result).toMatchObject({ label: { international: { trackingNumber } } });
      expect(readFileSync(labelFile ?? '', 'latin1')).toMatch(/^%PDF-/);
    }
  });

  test('again creates and sends nothing, and restores a file that is gone', async () => {
    const rig = await shop(orders(3), { journal });
    await rig.run(LABELLED);
    const before = linesIn(rig);
    const bytes = readFileSync(join(rig.folder, 'labels', 'ORDER-2.pdf'));
    rmSync(join(rig.folder, 'labels', 'ORDER-2.pdf'));
    const ran = await rig.run(`${LABELLED} --json`);
    expect([ran.exitCode, shipped(ran), labelled(ran)]).toEqual([0, 0, 0]);
    expect(summaryOf(ran)).toMatchObject({ sent: 0, already: 3, states: { created: 3 }, cost: {} });
    expect(readFileSync(join(rig.folder, 'labels', 'ORDER-2.pdf'))).toEqual(bytes);
    const facts = ({ key, shipmentId, trackingNumber, labelFile }: (typeof before)[number]) =>
      [key, shipmentId, trackingNumber, labelFile].join(' ');
    expect(linesIn(rig).map(facts).sort()).toEqual(before.map(facts).sort());
  });

  test('of a label that was not made is partial, exit 9, and the next run makes it', async () => {
    const { faults, random, turn } = switchable('label-international');
    const rig = await shop(orders(2), { journal, faults, random });
    turn('on');
    const ran = await rig.run(`${LABELLED} --json`);
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9 });
    expect(ends(linesIn(rig))).toEqual(keys(2).map(key => `${key} partial 9 true`));
    for (const { shipmentId, result, error } of linesIn(rig)) {
      expect(result).toMatchObject({ id: shipmentId });
      expect(error?.message).toContain(`waybill label --international ${shipmentId}`);
    }
    turn('off');
    const again = await rig.run(LABELLED);
    expect([again.exitCode, shipped(again), labelled(again)]).toEqual([0, 0, 2]);
  });

  test('of a label that may have been made is partial, exit 8: neither is sent again', async () => {
    const { rig, unlabelled } = await labelsInDoubt(1);
    const ran = await rig.run(`${LABELLED} --json`, { onRequest: unlabelled });
    expect([ran.exitCode, shipped(ran), labelled(ran)]).toEqual([8, 1, 1]);
    const [line] = linesIn(rig);
    expect(line).toMatchObject({ state: 'partial', sent: true, shipmentId: expect.stringMatching(/\w/) });
    expect(summaryOf(ran)).toMatchObject({ states: { partial: 1 }, shipments: 1, labels: 0 });
    expect(errorOf(ran).code).toBe('outcome_unknown');
    expect(errorOf(ran).issues[0]?.message).toContain('its label may exist');
    const again = await rig.run(`${LABELLED} --json`);
    expect([again.exitCode, shipped(again), labelled(again)]).toEqual([8, 0, 0]);
    expect(summaryOf(again)).toMatchObject({ shipments: 0, before: { shipments: 1, labels: 0 } });
    const [{ id, operation }] = await rig.json('history list --state unknown');
    expect(operation).toBe('label');
    await rig.run(['history', 'resolve', id, '--not-created', '--force', '--reason', 'gone']);
    const settled = await rig.run(`${LABELLED} --json`);
    expect([settled.exitCode, shipped(settled), labelled(settled)]).toEqual([0, 0, 1]);
    expect(ends(linesIn(rig))).toEqual(['ORDER-1 created 0 false']);
  });

  test('of labels that become unknown stops after --max-unknown, also if the shipments were booked before', async () => {
    const { faults, random, turn } = switchable('reset-after');
    const rig = await shop(orders(4), { journal, faults, random });
    expect((await rig.run(SHIP)).exitCode).toBe(0);
    turn('on');
    const ran = await rig.run(`${SHIP} --label --concurrency 1 --max-unknown 2 --json`);
    expect([ran.exitCode, shipped(ran), labelled(ran)]).toEqual([8, 0, 2]);
    expect(summaryOf(ran)).toMatchObject({
      ...{ stopped: 'unknown', states: { partial: 2, created: 2 } },
      before: { shipments: 4 },
    });
  });

  test('that is interrupted before a label is partial: the shipment counts, and the next run makes the label', async () => {
    const rig = await shop(orders(3), { journal });
    const ran = await rig.run(`${LABELLED} --concurrency 1 --json`, {
      onRequest: ({ path }, { interrupt }) => {
        if (path === '/v1/shipments') interrupt('SIGINT');
      },
    });
    expect([ran.exitCode, shipped(ran), labelled(ran)]).toEqual([130, 1, 0]);
    const lines = linesIn(rig);
    expect(ends(lines)).toEqual([
      'ORDER-1 partial 130 true',
      'ORDER-2 not_sent null false',
      'ORDER-3 not_sent null false',
    ]);
    expect(lines.map(({ shipmentId }) => shipmentId)).toEqual([expect.stringMatching(/\w/), null, null]);
    expect(summaryOf(ran)).toMatchObject({ shipments: 1, labels: 0, sent: 1 });
    const again = await rig.run(`${LABELLED} --json`);
    expect([again.exitCode, shipped(again), labelled(again)]).toEqual([0, 2, 3]);
  });

  test('of labels unknown since an earlier run goes on: they are not new unknowns', async () => {
    const { rig, unlabelled } = await labelsInDoubt(3);
    const careful = `${SHIP} --label --concurrency 1 --max-unknown`;
    expect((await rig.run(`${careful} 9`, { onRequest: unlabelled })).exitCode).toBe(8);
    const ran = await rig.run(`${careful} 1 --json`);
    expect(ran).toMatchObject({ exitCode: 8, requests: [] });
    expect(summaryOf(ran)).toMatchObject({ states: { partial: 3 }, sent: 0, stopped: null });
  });

  test('into a folder that cannot be created is refused before anything is booked: exit 10', async () => {
    const rig = await shop(orders(2), { journal });
    rig.file('labels', 'a file');
    expect(await rig.run(LABELLED)).toMatchObject({ exitCode: 10, requests: [] });
  });
});

test('ship-dual books pairs: the line has both ids and both numbers', async () => {
  const rig = await shop([dualOrder('A'), dualOrder('B')]);
  const ran = await rig.run('batch ship-dual orders.jsonl --label --download labels');
  expect([ran.exitCode, count(ran, '/v2/shipments')]).toEqual([0, 2]);
  const some = expect.stringMatching(/\w/);
  for (const line of linesIn(rig)) {
    expect(line).toMatchObject({ shipmentId: some, domesticShipmentId: some });
    expect(line).toMatchObject({ trackingNumber: some, domesticTrackingNumber: some });
    expect(line.labelFile).toContain(line.key);
  }
  const again = await rig.run('batch ship-dual orders.jsonl --label --download labels');
  expect([again.exitCode, count(again, '/v2/shipments'), labelled(again)]).toEqual([0, 0, 0]);
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
  for (const _again of [1, 2, 3]) {
    const ran = await rig.run('batch ship-dual orders.jsonl --label');
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.not.stringContaining('not a results file')]);
  }
  expect(seen).toEqual(['POST /v2/shipments']);
  const ran = await rig.run('history import orders.results.jsonl --done none --json', {
    env: { ...env, WAYBILL_STATE_DIR: join(rig.folder, 'elsewhere') },
  });
  expect([ran.exitCode, JSON.parse(ran.stdout)], ran.stderr).toMatchObject([0, { taken: 2 }]);
});

const bookedWithoutKey = async (rig: Rig) =>
  (await rig.run('ship -f - -q', { stdin: JSON.stringify(SHIPMENT) })).stdout.trim();

describe('label', () => {
  test('makes labels by the keys of bookings, each once, and saves them under the key', async () => {
    const rig = await shop(orders(3));
    await rig.run(`${SHIP} --results booked.jsonl`);
    rig.file('labels.jsonl', jsonLines(keys(3).map(key => ({ key }))));
    const ran = await rig.run('batch label labels.jsonl --download labels --results ends.jsonl --json');
    expect([ran.exitCode, labelled(ran)]).toEqual([0, 3]);
    const lines = linesIn(rig, 'ends.jsonl');
    expect(ends(lines)).toEqual(keys(3).map(key => `${key} created 0 true`));
    for (const { key, labelFile, shipmentId, trackingNumber } of lines) {
      expect(labelFile).toBe(join(rig.folder, 'labels', `${key}.pdf`));
      expect(linesIn(rig, 'booked.jsonl').find(booked => booked.key === key)?.shipmentId).toBe(shipmentId);
      expect(trackingNumber).toMatch(/\w/);
    }
    rig.file('shipments.jsonl', { key: 'ORDER-1', international: lines[0]?.shipmentId });
    for (const input of ['labels.jsonl', 'labels.jsonl', 'shipments.jsonl', 'shipments.jsonl']) {
      const again = await rig.run(`batch label ${input} --results ends.jsonl --json`);
      expect([again.exitCode, labelled(again)]).toEqual([0, 0]);
      const expected = keys(input === 'labels.jsonl' ? 3 : 1);
      expect(ends(linesIn(rig, 'ends.jsonl'))).toEqual(expected.map(key => `${key} created 0 false`));
    }
    // Another order with labels of its own, again under the very same options.
    rig.file('more.jsonl', jsonLines([order('M')]));
    await rig.run('batch ship more.jsonl');
    rig.file('m.jsonl', jsonLines([{ key: 'M' }]));
    for (const sent of [true, false, false]) {
      expect((await rig.run('batch label m.jsonl')).exitCode).toBe(0);
      expect(ends(linesIn(rig, 'm.label.jsonl'))).toEqual([`M created 0 ${sent}`]);
      expect(linesIn(rig, 'm.label.jsonl')[0]?.shipmentId).toBe(
        linesIn(rig, 'more.results.jsonl')[0]?.shipmentId,
      );
    }
  });

  test('makes labels by id; an unknown id is rejected and stops nothing', async () => {
    const rig = await createRig();
    const id = await bookedWithoutKey(rig);
    rig.file('labels.jsonl', jsonLines([{ international: id }, { international: 'NONE' }]));
    const ran = await rig.run('batch label labels.jsonl --json');
    expect([ran.exitCode, labelled(ran)]).toEqual([9, 2]);
    const lines = linesIn(rig, 'labels.label.jsonl').map(({ key, line, state }) => `${key} ${line} ${state}`);
    expect(lines.sort()).toEqual(['null 1 created', 'null 2 rejected']);
  });

  test('of a key that was never booked fails only for that record', async () => {
    const rig = await createRig({ files: { 'labels.jsonl': { key: 'NEVER' } } });
    const ran = await rig.run('batch label labels.jsonl');
    expect(ran).toMatchObject({ exitCode: 9, requests: [] });
    expect(ends(linesIn(rig, 'labels.label.jsonl'))).toEqual(['NEVER rejected 4 false']);
    expect(ran.stderr).toContain(
      `no shipment was booked with the key "NEVER" at ${rig.address}: book it first, with \`waybill ship --key NEVER\``,
    );
    // It is tried again anyway.
    expect(ran.stderr).not.toContain('--retry-rejected');
  });

  test('--dry-run counts labels that are made, and those that would be, and lists keys that were never booked', async () => {
    const rig = await shop(orders(3));
    await rig.run(SHIP);
    rig.file('labels.jsonl', jsonLines(keys(3).map(key => ({ key }))));
    const dry = 'batch label labels.jsonl --dry-run';
    expect(summaryOf(await rig.run(`${dry} --json`))).toMatchObject({ toSend: 3, already: 0 });
    await rig.run('label ORDER-1 ORDER-2');
    expect((await rig.run(dry)).stdout).toBe(
      'Records        3\n- created      2\nWould be sent  1\nBooked before  2 labels\n',
    );
    await rig.run('label ORDER-3');
    const all = await rig.run(`${dry} --json`);
    expect(all).toMatchObject({ exitCode: 0, requests: [] });
    expect(summaryOf(all)).toMatchObject({ records: 3, toSend: 0, already: 3, before: { labels: 3 } });
    const [id] = JSON.parse((await rig.run('history show ORDER-1 --json')).stdout).shipmentIds;
    rig.file('labels.jsonl', jsonLines([{ key: 'NEVER' }, { international: id }, { international: 'S-1' }]));
    const ran = await rig.run(`${dry} --json`);
    expect(ran).toMatchObject({ exitCode: 9, requests: [] });
    expect(summaryOf(ran)).toMatchObject({ toSend: 1, states: { created: 1, rejected: 1 } });
    expect(errorOf(ran).issues).toMatchObject([{ path: 'line 1, NEVER' }]);
  });

  test('makes none of a shipment above its bound until a person accepts it, and is not refused in the next run', async () => {
    const rig = await shop(orders(2));
    const { env, paths } = await scriptedService(key => created(key, key === 'ORDER-1' ? 499 : 12));
    const run = (argv: string) => rig.run(argv, { env });
    await run(`${SHIP} --max-price 60EUR --max-overpriced 2`);
    const dry = await run('batch label orders.jsonl --dry-run --json');
    expect([dry.exitCode, summaryOf(dry)]).toEqual([11, expect.objectContaining({ toSend: 1, already: 0 })]);
    for (const sent of [true, false]) {
      const ran = await run('batch label orders.jsonl --json');
      expect([ran.exitCode, summaryOf(ran).states]).toEqual([11, { created: 1, not_sent: 1 }]);
      expect(errorOf(ran).issues[0]?.message).toContain('label: no label was made of S-ORDER-1');
      const lines = linesIn(rig, 'orders.label.jsonl');
      expect(ends(lines)).toEqual(['ORDER-1 not_sent 11 false', `ORDER-2 created 0 ${sent}`]);
      expect(lines.find(({ key }) => key === 'ORDER-1')?.error?.created).toBe(false);
    }
    const ids = linesIn(rig).map(({ shipmentId }) => ({ international: shipmentId }));
    rig.file('ids.jsonl', jsonLines(ids));
    const { message } = errorOf(await run('batch label ids.jsonl --dry-run --json'));
    expect(message).toMatch(/`waybill history accept bk_\w+` records it\. /);
    await run('history accept ORDER-1 --reason ok');
    expect((await run('batch label orders.jsonl')).exitCode).toBe(0);
    expect(paths.filter(path => path.endsWith('/create'))).toHaveLength(2);
  });

  test('of an order that was cancelled since is not told as created', async () => {
    const rig = await shop(orders(2));
    await rig.run(`${SHIP} --results booked.jsonl`);
    await rig.run('batch label orders.jsonl');
    await rig.run('history cancelled ORDER-1 --reason gone');
    const ran = await rig.run('batch label orders.jsonl');
    expect([ran.exitCode, labelled(ran)]).toEqual([9, 0]);
    const lines = linesIn(rig, 'orders.label.jsonl');
    expect(ends(lines)).toEqual(['ORDER-1 duplicate 2 false', 'ORDER-2 created 0 false']);
  });

  test('of a pair of which one was made before counts the other one', async () => {
    const rig = await shop([dualOrder('A')]);
    await rig.run('batch ship-dual orders.jsonl');
    await rig.run(['label', '--international', linesIn(rig)[0]?.shipmentId ?? '']);
    const ran = await rig.run('batch label orders.jsonl --json');
    expect([ran.exitCode, labelled(ran)]).toEqual([0, 1]);
    expect(summaryOf(ran)).toMatchObject({ labels: 1, before: { labels: 1 } });
  });

  test('makes the label of one shipment once, also if the file has it twice', async () => {
    const rig = await createRig();
    const id = await bookedWithoutKey(rig);
    rig.file('labels.jsonl', jsonLines([{ international: id }, { key: 'other', international: id }]));
    const ran = await rig.run('batch label labels.jsonl');
    expect([ran.exitCode, labelled(ran)]).toEqual([0, 1]);
  });
});

test('Labels that fail by the service, one after the other, stop a run before it books more shipments without one', async () => {
  const { rig, unlabelled } = await labelsInDoubt(9, '401');
  const ran = await rig.run(`${LABELLED} --concurrency 1 --json`, { onRequest: unlabelled });
  expect(errorOf(ran)).toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(
      /several records in a row \(unauthorized\), and 4 records were not started/,
    ),
  });
  expect(summaryOf(ran)).toMatchObject({ shipments: 5, labels: 0, states: { partial: 5, not_sent: 4 } });
});

test('--dry-run --label counts the orders whose labels exist, those whose labels are missing, and one whose label may exist', async () => {
  const { faults, random, turn } = switchable('reset-after');
  const rig = await shop(orders(4), { faults, random });
  await rig.run(SHIP);
  await rig.run('label ORDER-1 ORDER-2');
  turn('on');
  await rig.run('label ORDER-3');
  const dry = `${SHIP} --label --dry-run`;
  const ran = await rig.run(`${dry} --json`);
  expect(ran).toMatchObject({ exitCode: 8, requests: [] });
  expect(summaryOf(ran)).toMatchObject({
    ...{ records: 4, sent: 0, toSend: 1, already: 2, states: { created: 2, partial: 1 } },
    before: { shipments: 3, labels: 2 },
  });
  expect((await rig.run(dry)).stdout).toMatch(/Would be sent +1\n/);
});

/** Pictures whose widths on the page tell them apart: 10, 20, 30, … points. */
const picture = (number: number) => png(number * 10, 10, 72);
const widthsIn = async (path: string) => (await sizesIn(path)).map(([width]) => width);
const named = (...keys: string[]) => keys.map(key => ({ key, ...SHIPMENT, ...receiver(key) }));
/** No two orders are the same. */
const receiver = (firstName: string) => ({ receiver: { ...(SHIPMENT.receiver as object), firstName } });

describe('batch label --merge', () => {
  const KEYS = 'key\nK3\nK1\nK4\nK2\n';
  const LABELS = { 'S-1': picture(1), 'S-2': picture(2), 'S-3': picture(3), 'S-4': picture(4) };

  test('is one PDF in the order of the file and not of finishing, and one print job', async () => {
    const { rig } = await labelledBy(LABELS, { last: 'S-3' });
    rig.file('keys.csv', KEYS);
    const ran = await rig.run('batch label keys.csv --merge today.pdf --print');
    expect(ran.exitCode).toBe(0);
    const path = join(rig.folder, 'today.pdf');
    expect(await widthsIn(path)).toEqual([30, 10, 40, 20]);
    expect(ran.programs).toEqual([['lp', path]]);
  });

  test('run again has all of them, and prints the new ones alone; --reprint prints all', async () => {
    const { rig, posts } = await labelledBy(LABELS);
    rig.file('keys.csv', 'key\nK3\nK1\n');
    await rig.run('batch label keys.csv --merge today.pdf --print');
    rig.file('keys.csv', KEYS);
    const ran = await rig.run('batch label keys.csv --merge today.pdf --print');
    expect(await widthsIn(join(rig.folder, 'today.pdf'))).toEqual([30, 10, 40, 20]);
    const labels = join(rig.folder, 'state/labels');
    expect(ran.programs).toEqual([
      ['lp', join(labels, 'K4.png')],
      ['lp', join(labels, 'K2.png')],
    ]);
    expect(ran.stderr).toContain(
      '2 labels were printed before, and are not printed again; `waybill label --print --reprint K3 K1` prints them',
    );
    expect(ran.stderr).toContain('today.pdf (4 labels, 2 of them printed before)\n');
    const rerun = await rig.run('batch label keys.csv --merge today.pdf --print');
    expect(rerun.programs).toEqual([]);
    expect(rerun.stderr).toContain(
      '4 labels were printed before, and are not printed again; `waybill label --print --reprint K3 K1 K4 K2` prints them',
    );
    const jam = await rig.run('batch label keys.csv --merge today.pdf --print --reprint');
    expect(jam.programs).toEqual([['lp', join(rig.folder, 'today.pdf')]]);
    expect(posts()).toBe(4);
  });
});

test('batch label --merge without --print has the new ones and their papers first', async () => {
  const rig = await createRig({
    files: { 'orders.json': named('A', 'B', 'C'), 'keys.csv': 'key\nA\nC\nB\n' },
  });
  await rig.run('batch ship orders.json');
  await rig.run('label A --merge today.pdf');
  const ran = await rig.run('batch label keys.csv --merge today.pdf --papers slip');
  expect(ran.exitCode).toBe(0);
  const pages = (await sizesIn(join(rig.folder, 'today.pdf'))).length;
  expect(ran.stderr).toContain(
    `today.pdf (3 labels, 1 of them printed before): print pages 1 to ${(pages / 3) * 2}; on pages`,
  );
});

test('batch ship --label prints new labels only, without --merge too', async () => {
  const rig = await createRig({ files: { 'orders.json': named('A', 'B') } });
  const first = await rig.run('batch ship orders.json --label --print');
  expect(first.programs.map(([, file]) => file?.slice(-6)).sort()).toEqual(['/A.pdf', '/B.pdf']);
  rig.file('orders.json', named('A', 'B', 'C'));
  const again = await rig.run('batch ship orders.json --label --print');
  expect(again.programs).toEqual([['lp', join(rig.folder, 'state/labels/C.pdf')]]);
  expect(again.stderr).toContain('again; `waybill label --print --reprint A B` prints them');
});
