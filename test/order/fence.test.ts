// A booking that another process settles while this one waits is not sent. What is said then is in
// test/promises/labels-and-ids.test.ts: "A claim is fenced".
import { expect, test, vi } from 'vitest';
import { Journal } from '../../src/journal/journal.ts';
import { created, scriptedService } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { SHIPMENT } from '../rig/service.ts';

test('a booking that was lost during a wait and not booked again is not sent, and frees its key', async () => {
  const rig = await createRig();
  const { env, arrivals } = await scriptedService((_, attempt) =>
    attempt > 1 ? created(String(attempt)) : { status: 429 },
  );
  const ship = 'ship -f - --key K -q';
  const stdin = JSON.stringify(SHIPMENT);
  const ran = await rig.run(ship, {
    ...{ stdin, env },
    onWait: async () => {
      await rig.later(2 * 60 * 60 * 1000);
      await rig.run('history list', { env });
    },
  });
  expect([ran.exitCode, arrivals.map(({ answered }) => answered)]).toEqual([7, [429]]);
  expect(ran.stderr).toMatch(/was resolved or lost meanwhile: it is not sent\. `waybill history show bk_/);
  expect((await rig.run('history list -o text')).stdout).toContain('not_sent');
  expect((await rig.run(ship, { stdin, env })).stdout).toBe('S-2\n');
});

/** Whether the claim is confirmed in the moment of sending, one time after the other. */
async function shipped(confirmed: readonly boolean[], flags = '') {
  let asked = 0;
  const fences = vi.spyOn(Journal.prototype, 'fence').mockImplementation(async () => {
    const isOurs = confirmed[asked] ?? true;
    asked += 1;
    return () => isOurs;
  });
  const { env, arrivals } = await scriptedService(created);
  const rig = await createRig({ env });
  const ran = await rig.run(`ship -f - --key K ${flags}`, { stdin: JSON.stringify(SHIPMENT) });
  fences.mockRestore();
  return [ran.exitCode, arrivals.length, asked, ran.waits.length];
}

test('an attempt whose claim is not confirmed in the moment of sending writes no byte, asks again at once, and is tried again', async () => {
  expect(await shipped([false, false], '--retries 0')).toEqual([7, 0, 2, 0]);
  expect(await shipped([false, false])).toEqual([0, 1, 3, 1]);
});
