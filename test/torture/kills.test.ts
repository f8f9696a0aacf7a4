import { describe, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { killedAtRandom } from './kills.ts';
import { POWER_ROUNDS, ROUNDS, SEED } from './size.ts';
import { PROBES } from './steps.ts';

const seed = SEED;
const seeded = `(TORTURE_SEED=${seed})`;

describe('neither lost, doubled nor silently in doubt', () => {
  test.concurrent(`are ${ROUNDS} bookings that are killed at any moment ${seeded}`, async () => {
    const command = await build();
    expect(await killedAtRandom(command, { rounds: ROUNDS, seed, power: false })).toEqual([]);
  });

  test.concurrent(`are ${POWER_ROUNDS} whose power goes around the sending ${seeded}`, async () => {
    const command = await build(PROBES);
    expect(await killedAtRandom(command, { rounds: POWER_ROUNDS, seed, power: true })).toEqual([]);
  });
});
