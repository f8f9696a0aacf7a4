import { expect, test } from 'vitest';
import { paceOf } from '../../../src/batch/run/pace.ts';

/** The rates that are told, each `ms` after the one before. */
function rates(looks: readonly [ms: number, done: number][]): number[] {
  let now = 0;
  const pace = paceOf({ monotonic: () => now });
  return looks.map(([ms, done]) => {
    now += ms;
    return pace(done);
  });
}

test('the rate is that of the time so far, and later that of the last ten seconds', () => {
  expect(
    rates([
      [2000, 10],
      [8000, 100],
      [10_000, 300],
      [10_000, 300],
      [10_000, 400],
    ]),
  ).toEqual([5, 10, 20, 0, 10]);
});

test('it falls while nothing ends, and a service that has stopped has none', () => {
  const told = rates(Array.from({ length: 100 }, (_, look) => [200, look < 50 ? 10 * (look + 1) : 500]));
  expect(told[49]).toBe(50);
  expect(told[74]).toBeGreaterThan(20);
  expect(told[74]).toBeLessThan(30);
  expect(told.at(-1)).toBe(0);
});
