import { describe, expect, test } from 'vitest';
import { withBuilt } from './bundle.ts';
import { killedAtRandom } from './kills.ts';
import { killedOnTheWay } from './long-run.ts';
import { LONG_RUN, PATIENCE, POWER_ROUNDS, ROUNDS, SEED } from './size.ts';
import { INJECTED, NOTES, PROBES } from './steps.ts';

const seed = SEED;
const seeded = `(TORTURE_SEED=${seed})`;
const { keys, kills } = LONG_RUN;

describe('neither lost, doubled nor silently in doubt', { timeout: PATIENCE }, () => {
  test.concurrent(`are ${ROUNDS} bookings that are killed at any moment ${seeded}`, async () => {
    const kill = (command: string) => killedAtRandom(command, { rounds: ROUNDS, seed, power: false });
    expect(await withBuilt(kill)).toEqual([]);
  });

  test.concurrent(`are ${POWER_ROUNDS} whose power goes around the sending ${seeded}`, async () => {
    const kill = (command: string) => killedAtRandom(command, { rounds: POWER_ROUNDS, seed, power: true });
    expect(await withBuilt(kill, PROBES, { inject: INJECTED })).toEqual([]);
  });

  test.concurrent(`are ${keys.length} of one run that loses power ${kills} times ${seeded}`, async () => {
    const kill = (program: string) => killedOnTheWay(program, { keys, kills, seed });
    const driver = { inject: INJECTED, entry: 'test/torture/driver.ts' };
    expect(await withBuilt(kill, NOTES, driver)).toEqual([]);
  });
});
