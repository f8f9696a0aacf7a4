// A service that gives several orders one id: a label is never put on two parcels.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { abroad } from '../booking/answers.ts';
import { createRig } from '../rig/command.ts';
import { describeBoth } from '../rig/postgres.ts';
import { cannedService, errorOf, SHIPMENT } from '../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);
const LABEL = '/v2/carriers/create';

const accountId = () =>
  cannedService({
    '/v1/shipments': { status: 201, body: { id: 4711, data: { id: 'SHP-1' } } },
    [LABEL]: { status: 200, body: { success: true, international: { ...abroad, label: undefined } } },
  });

describeBoth('Of bookings with one shipment id', journal => {
  test('only the first has its label; the others are refused, and all are named', async () => {
    const { env, seen } = await accountId();
    const rig = await createRig({ env, journal });
    expect((await rig.run('ship -f - --key K1 --label', { stdin })).exitCode).toBe(0);
    const second = await rig.run('ship -f - --key K2 --label --json', { stdin });
    expect(errorOf(second)).toMatchObject({ code: 'partial', exitCode: 9 });
    for (const words of ['the id 4711 to 2 bookings', '(key "K1")', '(key "K2")', '`waybill label K1`'])
      expect(errorOf(second).message).toContain(words);
    // An id names no order.
    for (const other of ['--key K2', 'K2', '4711', '--international 4711'])
      expect(errorOf(await rig.run(`label ${other} --json`))).toMatchObject({
        code: 'duplicate',
        exitCode: 2,
      });
    for (const first of ['--key K1', 'K1']) {
      const shown = await rig.run(`label ${first}`);
      expect(shown).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('was made before') });
    }
    const several = await rig.run('label K1 K2');
    expect(several.exitCode).toBe(9);
    expect(several.stderr).toContain('the id 4711 to 2 bookings');
    expect(seen.filter(line => line.endsWith(LABEL))).toHaveLength(1);
  });

  test('a batch makes one label, and one file', async () => {
    const { env, seen } = await accountId();
    const rig = await createRig({ env, journal });
    rig.file('b.jsonl', ['B1', 'B2', 'B3'].map(key => JSON.stringify({ key, ...SHIPMENT })).join('\n'));
    const { exitCode, stderr } = await rig.run('batch ship b.jsonl --label --concurrency 1');
    expect([exitCode, stderr]).toMatchObject([9, expect.stringContaining('the id 4711 to 3 bookings')]);
    expect(seen.filter(line => line.endsWith(LABEL))).toHaveLength(1);
    expect(existsSync(join(rig.folder, 'b.results.jsonl'))).toBe(true);
  });
});

test('a label in the answer of a pair is not shown for another order', async () => {
  const leg = (id: string) => ({ shipment: { id }, label: { success: true, trackingNumber: `T-${id}` } });
  const { env } = await cannedService({
    '/v1/shipments': { status: 201, body: { id: 'I1' } },
    '/v2/shipments': { status: 201, body: { international: leg('I1'), domestic: leg('D1') } },
  });
  const rig = await createRig({ env });
  const dual = { ...SHIPMENT, carriers: { international: { id: 'EXP' }, domestic: { id: 'DOM' } } };
  const { carrier: _, chargeableWeight: __, ...pair } = { carrier: 0, chargeableWeight: 0, ...dual };
  expect((await rig.run('ship -f - --key K1', { stdin })).exitCode).toBe(0);
  const booked = await rig.run('ship-dual -f - --key K2 --label', { stdin: JSON.stringify(pair) });
  expect(booked.exitCode).toBe(0);
  const refused = await rig.run('label --key K1 --json');
  expect(errorOf(refused)).toMatchObject({ code: 'duplicate', exitCode: 2 });
  expect((await rig.run('label --key K2')).stdout).toContain('T-I1');
});
