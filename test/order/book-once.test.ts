// A key is booked once, and a shipment labelled once, in a shared journal as well. All rules of keys and labels are in
// test/promises/{keys,labels-and-ids}.test.ts, for the journal of a machine.
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { describeShared } from '../rig/postgres.ts';
import { DUAL, SHIPMENT } from '../rig/service.ts';

describeShared('In a shared journal', () => {
  test('of two commands with one key at the same time one sends, and the other waits and prints the same answer', async () => {
    const rig = await createRig({ journal: 'shared' });
    const ship = () => rig.run('ship -f - --key ORDER-1 --json', { stdin: JSON.stringify(SHIPMENT) });
    const [one, other] = await Promise.all([ship(), ship()]);
    expect([one.exitCode, other.exitCode]).toEqual([0, 0]);
    expect(JSON.parse(one.stdout)).toEqual(JSON.parse(other.stdout));
    const posts = [...one.requests, ...other.requests].filter(({ method }) => method === 'POST');
    expect(new Set(posts).size).toBe(1);
  });

  test('the same input without a key is a duplicate for a day, and for ever while it is unknown', async () => {
    const stdin = JSON.stringify(SHIPMENT);
    for (const [faults, ms, exitCode] of [
      [[], 23, 2],
      [[], 25, 0],
      [[{ kind: 500, probability: 1 }], 9000, 2],
    ] as const) {
      const rig = await createRig({ journal: 'shared', faults });
      await rig.run('ship -f -', { stdin });
      await rig.later(ms * 60 * 60 * 1000);
      expect((await rig.run('ship -f - --yes', { stdin })).exitCode).toBe(exitCode);
    }
  });

  test('a label is shown again, and only the one of the other leg is asked for', async () => {
    const rig = await createRig({ journal: 'shared' });
    const { stdout } = await rig.run('ship-dual -f - --key PAIR -q', { stdin: JSON.stringify(DUAL) });
    const [international, domestic] = stdout.trim().split('\n');
    for (const [argv, bodies] of [
      [`label --international ${international}`, [{ international }]],
      ['label --key PAIR', [{ domestic }]],
      ['label --key PAIR', []],
    ] as const)
      expect((await rig.run(argv)).requests.map(({ body }) => JSON.parse(body))).toEqual(bodies);
  });
});
