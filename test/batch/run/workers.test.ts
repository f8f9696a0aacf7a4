import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Throttle } from '../../../src/batch/run/throttle.ts';
import { exitCodeFor, runWorkers, type WorkerLimits } from '../../../src/batch/run/workers.ts';
import type { FailureCode } from '../../../src/errors.ts';

const free: Throttle = { turn: async () => {}, pause: () => {} };

/** Runs records that end as listed; a signal comes after `signalAfter` of them. */
async function run(
  ends: readonly (FailureCode | undefined)[],
  limits: Partial<WorkerLimits> = {},
  signalAfter = Number.POSITIVE_INFINITY,
) {
  const interruption = new AbortController();
  const begun: number[] = [];
  let underWay = 0;
  let most = 0;
  let next = 0;
  const stop = await runWorkers(
    () => (next < ends.length ? next++ : undefined),
    async index => {
      begun.push(index);
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
      if (begun.length === signalAfter) interruption.abort('SIGINT');
      return ends[index];
    },
    { concurrency: 1, maxUnknown: 3, ...limits },
    free,
    { interrupted: interruption.signal },
  );
  return { stop, begun, most };
}

describe('A run', () => {
  test('performs every record once, never more at a time than it may', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(40), fc.integer({ min: 1, max: 8 }), async (count, concurrency) => {
        const { stop, begun, most } = await run(Array(count).fill(undefined), { concurrency });
        expect([stop, begun]).toEqual([undefined, Array.from({ length: count }, (_, index) => index)]);
        expect(most).toBe(Math.min(count, concurrency));
      }),
    );
  });

  test('starts nothing further after so many new unknowns', async () => {
    const ends: FailureCode[] = Array(9).fill('outcome_unknown');
    expect(await run(ends)).toMatchObject({ stop: { why: 'unknown' }, begun: [0, 1, 2] });
    expect(await run(ends, { maxUnknown: 1 })).toMatchObject({ begun: [0] });
  });

  test('waits for what is under way when it stops', async () => {
    const { begun } = await run(Array(20).fill('outcome_unknown'), { concurrency: 4, maxUnknown: 1 });
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  test.each(['unauthorized', 'rate_limited', 'unavailable'] as const)(
    'ends after five failures in a row that have nothing to do with the record: %s',
    async code => {
      const { stop, begun } = await run(Array(9).fill(code));
      expect([stop, begun.length]).toEqual([{ why: 'failure', code }, 5]);
    },
  );

  test('goes on where one in between went through, and where the records themselves are wrong', async () => {
    const four = Array(4).fill('unavailable');
    expect((await run([...four, undefined, ...four])).begun).toHaveLength(9);
    expect((await run(Array(20).fill('rejected'))).begun).toHaveLength(20);
  });

  test('ends at once where what becomes of a record cannot be written down', async () => {
    expect(await run(['storage', undefined])).toMatchObject({
      stop: { why: 'failure', code: 'storage' },
      begun: [0],
    });
  });

  test('starts nothing further after a signal', async () => {
    expect(await run(Array(9).fill(undefined), {}, 2)).toMatchObject({
      stop: { why: 'signal' },
      begun: [0, 1],
    });
  });

  test('that meets a defect of ours waits for the others, and tells it', async () => {
    let ended = 0;
    const next = [0, 1];
    const running = runWorkers(
      () => next.shift(),
      async index => {
        if (index === 0) throw new TypeError('a defect');
        await new Promise(setImmediate);
        ended += 1;
        return undefined;
      },
      { concurrency: 2, maxUnknown: 3 },
      free,
      { interrupted: new AbortController().signal },
    );
    await expect(running).rejects.toThrow('a defect');
    expect(ended).toBe(1);
  });
});

describe('The exit code', () => {
  const facts = { signal: 143, unknown: true, storage: true, failed: true };
  const cause = { why: 'failure', code: 'unauthorized' } as const;

  test.each([
    [143, { why: 'signal' } as const, facts],
    [8, cause, facts],
    [10, cause, { ...facts, unknown: false }],
    [3, cause, { ...facts, unknown: false, storage: false }],
    [9, undefined, { ...facts, unknown: false, storage: false }],
    [0, undefined, { signal: 0, unknown: false, storage: false, failed: false }],
  ])('is %i, the first that applies', (code, stop, what) => {
    expect(exitCodeFor(stop, what)).toBe(code);
  });
});
