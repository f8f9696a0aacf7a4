// A machine that has nothing but a shared journal.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bookedIn, jsonLines, keys, order, orders, summaryOf } from '../../rig/batch.ts';
import { createRig } from '../../rig/command.ts';
import { errorOf, fixture, SHIPMENT } from '../../rig/service.ts';

const SHIP = 'batch ship orders.jsonl --json';

/** The default results file cannot be written, and neither can the state folder. */
async function readOnly(journal: 'local' | 'shared') {
  const rig = await createRig({ journal, files: { 'orders.jsonl': jsonLines(orders(3)), file: '' } });
  mkdirSync(join(rig.folder, 'orders.results.jsonl'));
  return rig;
}

test('A batch with a shared journal goes on without a results file, and says so', async () => {
  const rig = await readOnly('shared');
  const env = { WAYBILL_STATE_DIR: join(rig.folder, 'file', 'state'), TMPDIR: join(rig.folder, 'file') };
  const ran = await rig.run(SHIP, { env });
  expect([ran.exitCode, bookedIn(ran)]).toEqual([0, keys(3)]);
  expect(summaryOf(ran)).toMatchObject({ results: null, states: { created: 3 } });
  expect(JSON.parse(ran.stderr).warning).toContain('orders.results.jsonl cannot be written');
  expect(summaryOf(await rig.run(SHIP, { env }))).toMatchObject({ already: 3, sent: 0 });
  const strict = await rig.run(`${SHIP} --strict`, { env });
  expect([strict.exitCode, strict.requests]).toEqual([2, []]);
});

test('A results file that is named must be written, and so must that of a local journal', async () => {
  const rig = await readOnly('shared');
  const ran = await rig.run(`${SHIP} --results orders.results.jsonl`);
  expect([ran.exitCode, ran.requests, errorOf(ran).code]).toEqual([10, [], 'storage']);
  const local = await readOnly('local');
  for (const files of ['', '--results missing/x.jsonl', '--results x.jsonl --failed missing/x.jsonl']) {
    const refused = await local.run(`${SHIP} ${files}`);
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
  const ran = await rig.run(SHIP, { env: { TMPDIR: join(rig.folder, 'missing') } });
  expect([ran.exitCode, ran.requests]).toEqual([10, []]);
  expect(errorOf(ran).message).toMatch(/missing: there is no such folder; nothing was sent\. Set TMPDIR/);
});
