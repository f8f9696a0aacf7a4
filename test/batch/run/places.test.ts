// Results say in which place they were booked, so that a rehearsal and the real run never stand for each other.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonLines, linesIn, orders } from '../../rig/batch.ts';
import { createRig } from '../../rig/command.ts';
import { machine } from '../../rig/journal.ts';
import { errorOf, posted } from '../../rig/service.ts';

const SHIP = 'batch ship orders.jsonl --json';
const RESULTS = 'orders.results.jsonl';

/** Two machines that have one folder of files, and a file of three orders in it. */
async function shared() {
  const rig = await createRig({ files: { 'orders.jsonl': jsonLines(orders(3)) } });
  return { rig, a: machine(rig, 'a'), b: machine(rig, 'b') };
}

describe('A rehearsal in the demo', () => {
  test('does not stand in the way of the real run elsewhere, and is never imported as real orders', async () => {
    const { rig, a, b } = await shared();
    expect((await a(`${SHIP} --profile demo`)).exitCode).toBe(0);
    expect(linesIn(rig)).toMatchObject(Array(3).fill({ operation: 'ship', place: 'demo' }));
    const imported = await b(`history import ${RESULTS} --json`);
    expect([imported.exitCode, errorOf(imported).message]).toEqual([
      2,
      expect.stringMatching(/bookings at demo, .*history import orders\.results\.jsonl --profile demo/),
    ]);
    const ran = await b(SHIP);
    expect([ran.exitCode, posted(ran).length]).toEqual([0, 3]);
    expect(linesIn(rig)).toMatchObject(Array(3).fill({ place: rig.address, sent: true }));
  });
});

describe('Results of another place than the one in force', () => {
  test('are replaced if this journal knows the bookings there', async () => {
    const { rig, a } = await shared();
    expect((await a(`${SHIP} --sandbox`)).exitCode).toBe(0);
    expect(linesIn(rig)[0]).toMatchObject({ place: `${rig.address}/sandbox`, sandbox: true });
    expect(posted(await a(SHIP))).toHaveLength(3);
    expect(linesIn(rig)).toMatchObject(Array(3).fill({ place: rig.address, sent: true }));
  });

  test('are not replaced if another machine made the bookings: they may have no other record', async () => {
    const { rig, a, b } = await shared();
    const shop = { baseUrl: rig.address, account: 'ACME', credentials: { kind: 'token', token: 'demo' } };
    rig.file('config/config.json', { profiles: { shop } });
    expect(posted(await a(SHIP))).toHaveLength(3);
    // It knows the same keys, of another account.
    expect(posted(await b(`${SHIP} --profile shop --results mine.jsonl`))).toHaveLength(3);
    const before = readFileSync(join(rig.folder, RESULTS), 'utf8');
    const refused = await b(`${SHIP} --profile shop`);
    expect([refused.exitCode, refused.requests, errorOf(refused).message]).toEqual([
      2,
      [],
      `orders.results.jsonl has 3 bookings made at ${rig.address} ("ORDER-1", "ORDER-2", "ORDER-3") that this journal does not know: another machine may have made them. Nothing was sent. This run is for ${rig.address} account ACME, and the file may be the only record of them: name another file with --results`,
    ]);
    expect(readFileSync(join(rig.folder, RESULTS), 'utf8')).toBe(before);
    expect((await b(`${SHIP} --profile shop --results mine.jsonl`)).exitCode).toBe(0);
  });
});

test('A machine that knows the orders, and not their labels, does not replace the results of their labels', async () => {
  const { a, b } = await shared();
  await a(SHIP);
  await b(`history import ${RESULTS}`);
  const label = 'batch label orders.jsonl --json';
  expect(posted(await a(label))).toHaveLength(3);
  const refused = await b(label);
  expect([refused.exitCode, refused.requests, errorOf(refused).message]).toEqual([
    2,
    [],
    expect.stringContaining('import them with `waybill history import orders.label.jsonl`'),
  ]);
  await b('history import orders.label.jsonl');
  const again = await b(label);
  expect([again.exitCode, posted(again)]).toEqual([0, []]);
});

test('Whatever operation would replace them, results are looked up as what they say they are', async () => {
  const { rig, a, b } = await shared();
  await a(SHIP);
  const [line] = linesIn(rig);
  // The label of a shipment says nothing about its key.
  await b(['label', '--international', line?.shipmentId ?? '']);
  for (const operation of ['track', 'label']) {
    const refused = await b(`batch ${operation} orders.jsonl --json --results ${RESULTS}`);
    expect([refused.exitCode, refused.requests, errorOf(refused).message]).toEqual([
      2,
      [],
      expect.stringContaining('3 bookings'),
    ]);
  }
  expect((await a(`batch track orders.jsonl --results ${RESULTS}`)).exitCode).toBe(0);
});
