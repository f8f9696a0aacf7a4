import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { batchCode } from '../../../src/batch/run/summary.ts';
import type { Throttle } from '../../../src/batch/run/throttle.ts';
import { runWorkers, type WorkerLimits } from '../../../src/batch/run/workers.ts';
import { Failure, type FailureCode } from '../../../src/errors.ts';

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
  test('performs every record once, never more at a time than the limit', async () => {
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
    expect(await run(ends)).toMatchObject({ stop: 'outcome_unknown', begun: [0, 1, 2] });
    expect(await run(ends, { maxUnknown: 1 })).toMatchObject({ begun: [0] });
  });

  test('waits for what is under way when it stops', async () => {
    const { begun } = await run(Array(20).fill('outcome_unknown'), { concurrency: 4, maxUnknown: 1 });
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  test.each(['unauthorized', 'rate_limited', 'unavailable'] as const)(
    'ends after five failures in a row that the records did not cause: %s',
    async code => {
      const { stop, begun } = await run(Array(9).fill(code));
      expect([stop, begun.length]).toEqual([code, 5]);
    },
  );

  test('goes on if a record in between succeeds, or if the records themselves are wrong', async () => {
    const four = Array(4).fill('unavailable');
    expect((await run([...four, undefined, ...four])).begun).toHaveLength(9);
    expect((await run(Array(20).fill('rejected'))).begun).toHaveLength(20);
  });

  test('ends at once if an outcome cannot be written down', async () => {
    expect(await run(['storage', undefined])).toMatchObject({
      stop: 'storage',
      begun: [0],
    });
  });

  test('starts nothing further after a signal', async () => {
    expect(await run(Array(9).fill(undefined), {}, 2)).toMatchObject({
      stop: 'interrupted',
      begun: [0, 1],
    });
  });

  test('that meets an internal error waits for the others, and rejects', async () => {
    let ended = 0;
    const next = [0, 1];
    const running = runWorkers(
      () => next.shift(),
      async index => {
        if (index === 0) throw new TypeError('an internal error');
        await new Promise(setImmediate);
        ended += 1;
        return undefined;
      },
      { concurrency: 2, maxUnknown: 3 },
      free,
      { interrupted: new AbortController().signal },
    );
    await expect(running).rejects.toThrow('an internal error');
    expect(ended).toBe(1);
  });
});

describe('A record that is answered and not yet recorded', () => {
  /** What one worker does with two records, in order, if the first one is answered like that and then ends like that. */
  async function pair(answer: FailureCode | undefined, end: FailureCode | undefined, maxUnknown = 3) {
    const events: string[] = [];
    const next = [1, 2];
    const stop = await runWorkers(
      () => next.shift(),
      async (index, { mayBeSent, answered }) => {
        events.push(`${index} begins`);
        events.push(`${index} is ${(await mayBeSent) ? '' : 'not '}sent`);
        if (index === 2) return undefined;
        answered(answer);
        await new Promise(setImmediate);
        events.push(`${index} is recorded`);
        return end;
      },
      { concurrency: 1, maxUnknown },
      free,
      { interrupted: new AbortController().signal },
    );
    return { events: events.slice(2), stop };
  }
  const sent = ['2 begins', '1 is recorded', '2 is sent'];
  const notSent = ['2 begins', '1 is recorded', '2 is not sent'];

  test('lets the next one begin, which is sent after that', async () => {
    expect(await pair(undefined, undefined)).toEqual({ events: sent, stop: undefined });
  });

  test('keeps the next one from being sent if it cannot be recorded', async () => {
    expect(await pair(undefined, 'storage')).toEqual({ events: notSent, stop: 'storage' });
  });

  test.each([[undefined], ['rejected']] as const)(
    'is waited for if the next one ends without being sent (%s)',
    async code => {
      const events: string[] = [];
      const next = [1, 2, 3];
      await runWorkers(
        () => next.shift(),
        async (index, { mayBeSent, answered }) => {
          if (index === 2) return code;
          await mayBeSent;
          events.push(`${index} is sent`);
          if (index === 3) return undefined;
          answered(undefined);
          for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
          events.push(`${index} is recorded`);
          return undefined;
        },
        { concurrency: 1, maxUnknown: 3 },
        free,
        { interrupted: new AbortController().signal },
      );
      expect(events).toEqual(['1 is sent', '1 is recorded', '3 is sent']);
    },
  );

  test('is waited for if the next one ends the run', async () => {
    const events: string[] = [];
    const next = [1, 2];
    const stop = await runWorkers(
      () => next.shift(),
      async (index, { mayBeSent, answered }) => {
        if (index === 2) return 'storage';
        await mayBeSent;
        answered(undefined);
        for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
        events.push('1 is recorded');
        return undefined;
      },
      { concurrency: 1, maxUnknown: 3 },
      free,
      { interrupted: new AbortController().signal },
    );
    expect([events, stop]).toEqual([['1 is recorded'], 'storage']);
  });

  test('counts by how it ends in the journal if that is worse than its answer', async () => {
    expect(await pair(undefined, 'outcome_unknown', 1)).toEqual({ events: notSent, stop: 'outcome_unknown' });
  });

  test('counts once', async () => {
    expect(await pair('outcome_unknown', 'outcome_unknown', 2)).toEqual({ events: sent, stop: undefined });
    expect(await pair('outcome_unknown', 'outcome_unknown', 1)).toMatchObject({
      events: ['1 is recorded'],
      stop: 'outcome_unknown',
    });
  });
});

describe('A batch ends with', () => {
  const all = { unknown: 1, storage: true, overpriced: 1, failed: 1 };
  const NONE = { unknown: 0, storage: false, overpriced: 0, failed: 0 };
  const unwritten = new Failure('storage', 'the results cannot be written');

  test.each([
    ['interrupted', 'interrupted', all],
    ['outcome_unknown', 'unauthorized', all],
    ['storage', 'unauthorized', { ...all, unknown: 0 }],
    ['over_price', 'unauthorized', { ...all, unknown: 0, storage: false }],
    ['unauthorized', 'unauthorized', { ...all, unknown: 0, storage: false, overpriced: 0 }],
    ['partial', undefined, { ...all, unknown: 0, storage: false, overpriced: 0 }],
    [undefined, undefined, NONE],
  ] as const)('%s, the first that applies', (code, stop, tally) => {
    expect(batchCode(tally, undefined, stop)).toBe(code);
  });

  test('storage if its results cannot be written', () => {
    expect(batchCode(NONE, unwritten, undefined)).toBe('storage');
  });
});
