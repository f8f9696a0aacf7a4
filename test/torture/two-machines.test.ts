// Two machines, each with a journal of its own, and one folder: never are there more shipments than orders.
import { describe, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { FULL } from './size.ts';
import { CLAIMING, LINE_WRITTEN, PROBES, STEPS } from './steps.ts';
import { begunTogether, killedBeside } from './two-machines.ts';

const ROUNDS = FULL ? 200 : 20;

/** Both wait until the other one is about to claim, too. */
test(`Begun at one moment, one file is booked once, ${ROUNDS} times`, async () => {
  const command = await build();
  for (let round = 0; round < ROUNDS; round += 1) expect(await begunTogether(command)).toEqual([]);
});

describe('One that is killed keeps the other one from booking, and goes on itself', () => {
  const before = STEPS.filter(({ name }) => name !== 'shown').map(({ name }) => name);
  test.concurrent.each([...CLAIMING, ...before, `${LINE_WRITTEN}:1`, `${LINE_WRITTEN}:12`])(
    'at the step: %s',
    async step => {
      expect(await killedBeside(step, step !== CLAIMING[0])(await build(PROBES))).toEqual([]);
    },
  );
});
