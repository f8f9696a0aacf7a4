import { describe, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { titled } from '../rig/needs.ts';
import { batchesAtOnce, batchKilled, batchKilledAt } from './batch.ts';
import { BATCH, CONCURRENCIES, FULL, notFull, SEED } from './size.ts';
import { NOTES, PROBES, STEPS } from './steps.ts';

const { records, kills } = BATCH;
const size = { records, kills, seed: SEED };

describe(`A batch of ${records} that is killed ${kills} times loses no record, books none twice, and reports each unknown (TORTURE_SEED=${SEED})`, () => {
  test.concurrent.each(CONCURRENCIES)('with %i requests in flight', async concurrency => {
    const command = await build();
    expect(await batchKilled(command, { ...size, concurrency, power: false })).toEqual([]);
  });

  test.concurrent.each(CONCURRENCIES)('with %i requests in flight, with power losses', async concurrency => {
    const command = await build(NOTES);
    expect(await batchKilled(command, { ...size, concurrency, power: true })).toEqual([]);
  });
});

describe.skipIf(notFull)(titled('A batch that is killed at a step', notFull), () => {
  test.each(
    STEPS.filter(({ name }) => name !== 'shown').flatMap(({ name }) =>
      [1, 5, 12].flatMap(nth => [false, true].map(power => ({ name, nth, power }))),
    ),
  )('$name, pass $nth, power loss: $power', async ({ name, nth, power }) => {
    expect(await batchKilledAt(name, nth, { power })(await build(PROBES))).toEqual([]);
  });
});

describe('Batches over one file at the same time book each key once, and each reports all records', () => {
  test.each(FULL ? [2, 3, 4, 5, 6, 7, 8] : [4])('%i batches', async processes => {
    const race = batchesAtOnce(processes, { records: FULL ? 500 : 24 });
    expect(await race(await build())).toEqual([]);
  });
});
