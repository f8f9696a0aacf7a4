import { describe, expect, test } from 'vitest';
import { createRecordPicker } from '../../../src/batch/run/record-picker.ts';
import type { QueuedRecord } from '../../../src/batch/run/spool.ts';
import { Json } from '../../../src/json.ts';

const record = (line: number): QueuedRecord => ({
  ...{
    line,
    key: `K${line}`,
    body: new Json({}),
    isComplete: true,
    fingerprint: '',
    source: '',
    text: undefined,
  },
});

/** Records of which others have created some; `drawn`: the random numbers that pick one, from 0 up to 1. */
function runnerOn(lines: readonly number[], drawn: () => number = () => 0) {
  const queue = lines.map(record);
  const made = new Set<number>();
  const looks: number[][] = [];
  const ahead = createRecordPicker(
    { next: () => queue.shift(), putBack: one => queue.push(one) },
    async records => {
      looks.push(records.map(({ line }) => line));
      return records.filter(({ line }) => !made.has(line));
    },
    drawn,
  );
  const taken = async () => {
    await ahead.refill();
    return ahead.next();
  };
  return {
    ahead,
    made,
    looks,
    taken,
    async rest() {
      const all: number[] = [];
      for (let one = await taken(); one; one = await taken()) all.push(one.line);
      return all;
    },
  };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('The record that a runner starts next', () => {
  test('is the next one of the input, without a look-up, as long as it is alone', async () => {
    const runner = runnerOn(upTo(20));
    expect(await runner.rest()).toEqual(upTo(20));
    expect(runner.looks).toEqual([]);
  });

  test('is not one that others have created, once it has met them', async () => {
    const runner = runnerOn(upTo(20));
    await runner.taken();
    for (const line of [2, 3, 5, 7]) runner.made.add(line);
    runner.ahead.metOthers();
    expect((await runner.rest()).sort((a, b) => a - b)).toEqual(
      upTo(20).filter(n => ![1, 2, 3, 5, 7].includes(n)),
    );
  });

  test('is then picked at random from the next ones, so that two runners do not pick the same', async () => {
    let draws = 0;
    const runner = runnerOn(upTo(6), () => [0.1, 0.5, 0.2, 0.9, 0.3, 0.4][draws++ % 6] as number);
    runner.ahead.metOthers();
    expect(await runner.rest()).toEqual([4, 2, 6, 5, 3, 1]);
  });

  test('is looked up again when the runner meets others again', async () => {
    const runner = runnerOn(upTo(6));
    runner.ahead.metOthers();
    const first = (await runner.taken())?.line;
    runner.made.add(2).add(4);
    runner.ahead.metOthers();
    expect((await runner.rest()).sort()).toEqual(upTo(6).filter(line => ![first, 2, 4].includes(line)));
    expect(runner.looks.length).toBe(2);
  });

  test('is one that another runner was sending only after all others, and only if it was not created by then', async () => {
    const runner = runnerOn(upTo(5));
    for (const _ of [1, 2]) {
      runner.ahead.putBack((await runner.taken()) as QueuedRecord);
      runner.ahead.metOthers();
    }
    const [last, ...before] = (await runner.rest()).reverse();
    expect([before.length, last !== undefined && last <= 5]).toEqual([4, true]);
    const again = runnerOn(upTo(3));
    const first = (await again.taken()) as QueuedRecord;
    again.ahead.putBack(first);
    again.ahead.metOthers();
    again.made.add(first.line);
    expect((await again.rest()).sort()).toEqual([2, 3]);
  });

  test('goes to several workers, each record once, also if they meet others in between', async () => {
    const runner = runnerOn(upTo(1200));
    const seen: number[] = [];
    const work = async () => {
      for (let one = await runner.taken(); one; one = await runner.taken()) {
        seen.push(one.line);
        if (one.line % 50 === 0) runner.ahead.metOthers();
        await new Promise(setImmediate);
      }
    };
    await Promise.all([work(), work(), work(), work()]);
    expect(seen.sort((a, b) => a - b)).toEqual(upTo(1200));
  });
});
