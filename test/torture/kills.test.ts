import { describe, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { killedAtRandom } from './kills.ts';
import { started } from './scenarios.ts';
import { FULL, POWER_ROUNDS, ROUNDS, SEED } from './size.ts';
import { PROBES } from './steps.ts';

const seed = SEED;
const seeded = `(TORTURE_SEED=${seed})`;

describe('No booking is lost or booked twice, and every unknown one is listed', () => {
  test.concurrent(`of ${ROUNDS} that are killed at random moments ${seeded}`, async () => {
    const command = await build();
    expect(await killedAtRandom(command, { rounds: ROUNDS, seed, power: false })).toEqual([]);
  });

  test.concurrent(`of ${POWER_ROUNDS} that lose power around the sending ${seeded}`, async () => {
    const command = await build(PROBES);
    expect(await killedAtRandom(command, { rounds: POWER_ROUNDS, seed, power: true })).toEqual([]);
  });
});

const processes = FULL ? 8 : 4;

test(`${processes} processes with one key book it once and show the same answer`, async () => {
  expect(await started(processes)(await build())).toEqual([]);
});
