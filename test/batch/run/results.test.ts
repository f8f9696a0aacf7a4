// The results file: in which place its lines were booked, so that no rehearsal stands for the real run, and a machine without one.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bookedIn, jsonLines, keys, linesIn, order, orders, summaryOf } from '../../rig/batch.ts';
import { createRig } from '../../rig/command.ts';
import { machine } from '../../rig/journal.ts';
import { errorOf, fixture, posted, SHIPMENT } from '../../rig/service.ts';

const SHIP = 'batch ship orders.jsonl';
const RESULTS = 'orders.results.jsonl';

/** Two machines that have one folder of files, and a file of three orders in it. */
async function twoMachines() {
  const rig = await createRig({ files: { 'orders.jsonl': jsonLines(orders(3)) } });
  return { rig, a: machine(rig, 'a'), b: machine(rig, 'b') };
}

test('A rehearsal in the demo does not stand in the way of the real run elsewhere, and is never imported as real orders', async () => {
  const { rig, a, b } = await twoMachines();
  expect((await a(`${SHIP} --json --profile demo`)).exitCode).toBe(0);
  expect(linesIn(rig)).toMatchObject(Array(3).fill({ operation: 'ship', place: 'demo' }));
  const imported = await b(`history import ${RESULTS} --json`);
  expect([imported.exitCode, errorOf(imported).message]).toEqual([
    2,
    expect.stringMatching(/bookings at demo, .*history import orders\.results\.jsonl --profile demo/),
  ]);
  const ran = await b(`${SHIP} --json`);
  expect([ran.exitCode, posted(ran).length]).toEqual([0, 3]);
  expect(linesIn(rig)).toMatchObject(Array(3).fill({ place: rig.address, sent: true }));
});

describe('Results of another place than the one in force', () => {
  test('are replaced if this journal knows the bookings there', async () => {
    const { rig, a } = await twoMachines();
    expect((await a(`${SHIP} --json --sandbox`)).exitCode).toBe(0);
    expect(linesIn(rig)[0]).toMatchObject({ place: `${rig.address}/sandbox`, sandbox: true });
    expect(posted(await a(`${SHIP} --json`))).toHaveLength(3);
    expect(linesIn(rig)).toMatchObject(Array(3).fill({ place: rig.address, sent: true }));
  });

  test('are not replaced if another machine made the bookings: they may have no other record', async () => {
    const { rig, a, b } = await twoMachines();
    const shop = { baseUrl: rig.address, account: 'ACME', credentials: { kind: 'token', token: 'demo' } };
    rig.file('config/config.json', { profiles: { shop } });
    expect(posted(await a(`${SHIP} --json`))).toHaveLength(3);
    // It knows the same keys, of another account.
    expect(posted(await b(`${SHIP} --json --profile shop --results mine.jsonl`))).toHaveLength(3);
    const before = readFileSync(join(rig.folder, RESULTS), 'utf8');
    const refused = await b(`${SHIP} --json --profile shop`);
    expect([refused.exitCode, refused.requests, errorOf(refused).message]).toEqual([
      2,
      [],
      `orders.results.jsonl has 3 bookings made at ${rig.address} ("ORDER-1", "ORDER-2", "ORDER-3") that this journal does not know: another machine may have made them. Nothing was sent. This run is for ${rig.address} account ACME, and the file may be the only record of them: name another file with --results`,
    ]);
    expect(readFileSync(join(rig.folder, RESULTS), 'utf8')).toBe(before);
    expect((await b(`${SHIP} --json --profile shop --results mine.jsonl`)).exitCode).toBe(0);
  });
});

test('A machine that knows the orders, and not their labels, does not replace the results of their labels', async () => {
  const { a, b } = await twoMachines();
  await a(`${SHIP} --json`);
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
  const { rig, a, b } = await twoMachines();
  await a(`${SHIP} --json`);
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

/** The default results file cannot be written, and neither can the state folder. */
async function readOnly(journal: 'local' | 'shared') {
  const rig = await createRig({ journal, files: { 'orders.jsonl': jsonLines(orders(3)), file: '' } });
  mkdirSync(join(rig.folder, 'orders.results.jsonl'));
  return rig;
}

test('A batch with a shared journal goes on without a results file, and says so', async () => {
  const rig = await readOnly('shared');
  const env = { WAYBILL_STATE_DIR: join(rig.folder, 'file', 'state'), TMPDIR: join(rig.folder, 'file') };
  const ran = await rig.run(`${SHIP} --json`, { env });
  expect([ran.exitCode, bookedIn(ran)]).toEqual([0, keys(3)]);
  expect(summaryOf(ran)).toMatchObject({ results: null, states: { created: 3 } });
  expect(JSON.parse(ran.stderr).warning).toContain('orders.results.jsonl cannot be written');
  expect(summaryOf(await rig.run(`${SHIP} --json`, { env }))).toMatchObject({ already: 3, sent: 0 });
  const strict = await rig.run(`${SHIP} --json --strict`, { env });
  expect([strict.exitCode, strict.requests]).toEqual([2, []]);
});

test('A results file that is named must be written, and so must that of a local journal', async () => {
  const rig = await readOnly('shared');
  const ran = await rig.run(`${SHIP} --json --results orders.results.jsonl`);
  expect([ran.exitCode, ran.requests, errorOf(ran).code]).toEqual([10, [], 'storage']);
  const local = await readOnly('local');
  for (const files of ['', '--results missing/x.jsonl', '--results x.jsonl --failed missing/x.jsonl']) {
    const refused = await local.run(`${SHIP} --json ${files}`);
    expect([refused.exitCode, refused.requests]).toEqual([10, []]);
    expect(errorOf(refused).operation).toBe('ship');
    expect(errorOf(refused).message).toMatch(/x\.jsonl cannot be written|results\.jsonl cannot be written/);
    expect(errorOf(refused).message).toMatch(
      /; nothing was sent\. Name another file with --(results|failed)$/,
    );
  }
});

test('A batch that books nothing needs no folder for a journal', async () => {
  const quote = fixture('v1/carriers/proposal/POST/minimal.request.json');
  const rig = await createRig({ files: { 'orders.jsonl': jsonLines([quote, quote]), file: '' } });
  const ran = await rig.run('batch quote orders.jsonl --json', {
    env: { WAYBILL_STATE_DIR: join(rig.folder, 'file', 'state') },
  });
  expect([ran.exitCode, ran.requests.length]).toEqual([0, 2]);
});

test('Orders that do not fit in memory, and have no temporary folder, are refused with the variable to set', async () => {
  const [item] = SHIPMENT.items as object[];
  const items = [{ ...item, description: 'x'.repeat(900_000) }];
  const long = keys(5).map(key => order(key, { items }));
  const rig = await createRig({ files: { 'orders.jsonl': jsonLines(long) } });
  const ran = await rig.run(`${SHIP} --json`, { env: { TMPDIR: join(rig.folder, 'missing') } });
  expect([ran.exitCode, ran.requests]).toEqual([10, []]);
  expect(errorOf(ran).message).toMatch(/missing: there is no such folder; nothing was sent\. Set TMPDIR/);
});
