import { describe, expect, test } from 'vitest';
import { withBuilt } from './bundle.ts';
import { killedAtRandom } from './kills.ts';
import { PATIENCE, POWER_ROUNDS, ROUNDS, SEED } from './size.ts';
import { INJECTED, PROBES } from './steps.ts';

const seed = SEED;
const seeded = `(TORTURE_SEED=${seed})`;

describe('neither lost, doubled nor silently in doubt', { timeout: PATIENCE }, () => {
  test.concurrent(`are ${ROUNDS} bookings that are killed at any moment ${seeded}`, async () => {
    const kill = (command: string) => killedAtRandom(command, { rounds: ROUNDS, seed, power: false });
    expect(await withBuilt(kill)).toEqual([]);
  });

  test.concurrent(`are ${POWER_ROUNDS} whose power goes around the sending ${seeded}`, async () => {
    const kill = (command: string) => killedAtRandom(command, { rounds: POWER_ROUNDS, seed, power: true });
    expect(await withBuilt(kill, PROBES, { inject: INJECTED })).toEqual([]);
  });
});
