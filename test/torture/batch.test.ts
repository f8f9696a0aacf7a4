import { describe, expect, test } from 'vitest';
import { batchKilled } from './batch-kills.ts';
import { batchesAtOnce, batchKilledAt } from './batch-scenarios.ts';
import { withBuilt } from './bundle.ts';
import { BATCH, CONCURRENCIES, FULL, PATIENCE, SEED } from './size.ts';
import { INJECTED, NOTES, PROBES, STEPS } from './steps.ts';

const { records, kills } = BATCH;
const size = { records, kills, seed: SEED };

describe(`A batch of ${records} that is killed ${kills} times loses and doubles none, and tells each doubt (TORTURE_SEED=${SEED})`, {
  timeout: PATIENCE,
}, () => {
  test.concurrent.each(CONCURRENCIES)('with %i under way', async concurrency => {
    const kill = (command: string) => batchKilled(command, { ...size, concurrency, power: false });
    expect(await withBuilt(kill)).toEqual([]);
  });

  test.concurrent.each(CONCURRENCIES)('with %i under way, and the power with it', async concurrency => {
    const kill = (command: string) => batchKilled(command, { ...size, concurrency, power: true });
    expect(await withBuilt(kill, NOTES, { inject: INJECTED })).toEqual([]);
  });
});

describe.runIf(FULL)('A batch that is killed at a step', { timeout: PATIENCE }, () => {
  test.each(
    STEPS.filter(({ name }) => name !== 'shown').flatMap(({ name }) =>
      [1, 5, 12].flatMap(nth => [false, true].map(power => ({ name, nth, power }))),
    ),
  )('$name for the time $nth, with the power: $power', async ({ name, nth, power }) => {
    expect(await withBuilt(batchKilledAt(name, nth, { power }), PROBES, { inject: INJECTED })).toEqual([]);
  });
});

describe('Batches over one file at the same time book each key once, and each tells all of them', {
  timeout: PATIENCE,
}, () => {
  test.each(FULL ? [2, 3, 4, 5, 6, 7, 8] : [8])('%i of them', async processes => {
    const race = batchesAtOnce(processes, { records: FULL ? 500 : 24 });
    expect(await withBuilt(race)).toEqual([]);
  });
});
