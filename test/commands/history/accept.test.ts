// A person says that a price above its bound is known: then the booking ends with 0.
import { expect, test } from 'vitest';
import { createRig } from '../../rig/command.ts';
import { bookingAt, fill } from '../../rig/journal.ts';
import { errorOf } from '../../rig/service.ts';

/** K-1 and K-2 are above their bound, K-3 is within it, K-4 is unknown, K-5 has no bound. */
async function priced() {
  const rig = await createRig();
  const bound = { maxPrice: '10 EUR' };
  await fill(rig, 'state', [
    bookingAt(rig, 1, { ...bound, overPrice: true }),
    bookingAt(rig, 2, { ...bound, overPrice: true }),
    bookingAt(rig, 3, { ...bound, overPrice: false }),
    bookingAt(rig, 4, { ...bound, state: 'unknown', code: 'outcome_unknown', ids: {}, answer: null }),
    bookingAt(rig, 5),
  ]);
  const shown = async (ref: string) => JSON.parse((await rig.run(['history', 'show', ref, '--json'])).stdout);
  return { ...rig, shown };
}

test('history accept ends the exit code 11, and keeps who said so, when and why', async () => {
  const rig = await priced();
  expect((await rig.shown('K-1')).exitCode).toBe(11);
  const ran = await rig.run("history accept K-1 --reason 'agreed by phone' --actor anna --run morning");
  expect(ran).toMatchObject({ exitCode: 0, requests: [] });
  expect(ran.stdout).toMatch(/^The price of booking bk_\d+ is accepted\.\n$/);
  expect(await rig.shown('K-1')).toMatchObject({
    ...{ exitCode: 0, overPrice: true, state: 'created' },
    settlements: [
      { state: 'accepted', by: 'anna', run: 'morning', reason: 'agreed by phone', at: expect.any(String) },
    ],
  });
});

test('history accept and show take the tracking number of a label as the order that it is of', async () => {
  const rig = await priced();
  const request = { international: 'S-1' };
  const labels = { international: { made: true, trackingNumber: 'TRACK-1' } };
  await fill(rig, 'state', [bookingAt(rig, 6, { operation: 'label', key: null, ids: {}, request, labels })]);
  expect(await rig.shown('TRACK-1')).toMatchObject({ key: 'K-1', operation: 'ship' });
  expect(await rig.run('history accept TRACK-1')).toMatchObject({ exitCode: 0 });
  expect(await rig.shown('K-1')).toMatchObject({ exitCode: 0 });
});

test.each([
  ['K-3', /booking bk_\d+ is not above its --max-price/],
  ['K-4', /is unknown, and only the price of one that was created is accepted/],
  ['K-5', /has no --max-price, or no price to compare/],
])('history accept refuses %s, and accepts nothing then', async (ref, message) => {
  const rig = await priced();
  const ran = await rig.run(`history accept K-1 ${ref} --json`);
  expect([ran.exitCode, errorOf(ran).message]).toEqual([2, expect.stringMatching(message)]);
  expect((await rig.shown('K-1')).exitCode).toBe(11);
});

test('history accept of what is accepted says who did it, and accepts the rest: a script can run again', async () => {
  const rig = await priced();
  await rig.run('history accept K-1 --actor anna');
  const again = await rig.run('history accept K-1 --actor berta');
  expect(again.exitCode).toBe(0);
  expect(again.stdout).toMatch(/^The price of booking bk_\d+ was accepted before, by anna at 20\S+\.\n$/);
  const ran = await rig.run('history accept K-2 K-1 --json');
  expect(ran.exitCode).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject([
    { key: 'K-2', exitCode: 0, settlements: [{ state: 'accepted' }] },
    { key: 'K-1', exitCode: 0, settlements: [{ by: 'anna' }] },
  ]);
  expect((await rig.shown('K-1')).settlements).toHaveLength(1);
  expect((await rig.run('history accept NONE')).exitCode).toBe(4);
});
